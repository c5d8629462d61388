% Every boundary mode on both sides of an array, read and written, on the host and in kernels.
m : 'mirror = [0,1,2,3]
c : 'circular = [0,1,2,3]
l : 'clamped = [0,1,2,3]
s : 'safe = [0,1,2,3] + 1
k : 'checked = [0,1,2,3]
print m[-3..6], c[-3..6], l[-3..6], s[-3..6]
for i = -3..6
    print m[i], c[i], l[i], s[i]
endfor
try
    i = 4
    print k[i]
catch e
    print e.message
endtry
try
    i = -1
    k[i] = 3
catch e
    print e.message
endtry
m[4] = 9
c[4] = 9
l[-1] = 9
s[9] = 9
print m[:], c[:], l[:], s[:]
function [] = __kernel__ kr(m : vec'mirror, c : vec'circular, l : vec'clamped, s : vec'safe, d : vec, w : vec'mirror, y : mat, pos : int)
    i = pos - 3
    y[pos,0] = m[i]
    y[pos,1] = c[i]
    y[pos,2] = l[i]
    y[pos,3] = s[i]
    y[pos,4] = d[i]
    if pos == 9
        d[i+20] = 5
        w[4] = 100
    endif
endfunction
y = zeros(10,5)
q = [0.0,1,2,3]
u = [0.0,1,2,3]
w = [0.0,1,2,3]
parallel_do(10, q, q, q, q, u, w, y, kr)
print y, u, w
function y = __device__ rd(x : vec, i : int)
    y = x[i]
endfunction
print rd([1.0,2],7)
mm : 'mirror = [[1,2],[3,4]]
print mm[[-1,2]], mm[-1,2], mm[-1..2,0]
type ob : mutable class
    a : int
endtype
os : 'safe = vec[ob](2)
print os[5]
