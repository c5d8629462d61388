% A device function that changes a small array gets the same one twice: it reads what it writes.
function [] = __device__ mirror_into(a : vec(4), b : vec(4))
    for i = 0..3
        a[i] = b[3-i] + 1
    endfor
endfunction
function s : scalar = __device__ total(v : vec(4))
    s = v[0] + v[1] + v[2] + v[3]
endfunction
function [] = __kernel__ own(y : mat, pos : int)
    w = [1.,2,3,4]
    mirror_into(w, w)
    y[pos,:] = w
endfunction
y = zeros(2,4)
parallel_do(2, y, own)
print y
function [] = __kernel__ given(x : vec(4), pos : int)
    mirror_into(x, x)
endfunction
x = [1.,2,3,4]
parallel_do(1, x, given)
print x
u = [1.,2,3,4]
mirror_into(u, u)
print u
function [] = __kernel__ both(x : vec(4), y : vec(4), pos : int)
    mirror_into(x, y)
endfunction
v = [1.,2,3,4]
parallel_do(1, v, v, both)
print v
% What is stored to as well is still a value for functions that only read it.
function [] = __kernel__ read(x : vec(4), y : vec, pos : int)
    y[pos] = total(x)
    if pos == 4
        x[0] = 100
        mirror_into(x, x)
    endif
endfunction
t = zeros(4)
parallel_do(4, v, t, read)
print t, v
