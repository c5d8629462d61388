% Every way to write sizes in types, sizes as parameters, and arrays of fixed sizes inside objects.
a : vec3 = [1,2,3]
b : mat2x3 = zeros(2,3)
c : cube2x3x2 = zeros(2,3,2)
d : cube2x2x2x2 = zeros(2,2,2,2)
e : cvec4 = czeros(4)
f : vec[uint8](4) = zeros[uint8](4)
g : mat[int](3,3) = zeros[int](3,3)
h : ivec2 = [1,2]
a2 : vec(3) = a
b2 : mat(2,3) = b
print type(a2), type(b2), type(c), type(d), type(e), type(f), type(g), type(h)
p : cube(:,:,3) = zeros(2,2,3)
q : cube(:,4,:) = zeros(2,4,3)
print type(p), " ", type(q)
function [] = par[N](v : vec(2*N+1), m : mat(2,N), k : mat(2+N,2*N), u : mat(:,N))
    print N, type(v), type(m), type(k), type(u)
endfunction
par([1.0,2,3,4,5], zeros(2,2), zeros(4,4), zeros(7,2))
big = zeros(512,4,3)
print type(big[3,:,:])
type box : mutable class
    v : vec3
    m : mat
endtype
src = [1.0,2,3]
ms = zeros(1,2)
o = box(src, ms)
src[0] = 99
ms[0,0] = 99
print o
function [] = chg(v : vec3)
    v[0] = 5
endfunction
x : vec3 = [1,1,1]
chg(x)
print x
function [] = __device__ chd(v : vec)
    v[1] = 7
endfunction
function [] = __kernel__ ker(y : mat, pos : int)
    t = [1.0,2,3]
    chd(t)
    y[pos,:] = t
endfunction
y = zeros(2,3)
parallel_do(2, y, ker)
print y
