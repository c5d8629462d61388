% Compound assignments: atomic in kernels, in place on arrays, with the type of their target.
function [] = __kernel__ k(h : cvec, l : vec[int64], s : ivec2, z : vec, pos : int)
    h[0] += 1 + 2j
    h[1] -= 1j
    l[0] += 3000000000
    l[1] ^^= pos
    v = [0, 0]
    v[0] += 5
    z[0] += v[0]
    z[1] *= 2
    z[2] /= 2
    z[3] ^= 2
    z[4..5] += [1, 2]
    z[6] += 0.5
endfunction
h = czeros(2)
l = zeros[int64](2)
z = ones(8)
z[3] = 1
parallel_do(4, h, l, [1,2], z, k)
print h, l, z
x = 5
n = (x += 1)
print n, x
x .*= 2
x ./= 4
x .^= 2
print x
y = [3.0,nan,1]
y ^^= 2
print y
A = zeros(2,2)
B = A
A += ones(2,2)
print B
A *= 2
A = A + 1
print A, B
i = 0
i += 2.6
print i
