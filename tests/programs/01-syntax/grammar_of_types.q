% Forms of types: modifiers with white space, before sizes and behind `cube{n}`, function types of every kind, unions of unions,
% types in brackets of functions that make arrays.
x : mat'mirror'const = [[1,2]]
y : mat 'mirror 'const = [[1,2]]
z : mat ' mirror' const = [[1,2]]
print x[-1,-1], y[-1,-1], z[-1,-1]
a : cube{4}[int](1,1,1,2) = zeros[int](1,1,1,2)
b : cube{4} 'circular (1,1,1,2) = ones(1,1,1,2)
c : vec'circular(3) = [1,2,3]
print type(a), size(a), " ", b[0,0,0,-1], " ", type(c, "vec(3)"), c[4]
d : [__host__ int -> int] = x -> x + 1
e : [(int, ...vec[int]) -> int] = (x : int, ...r) -> x + numel(r)
f : [() -> ()] = () -> print("called")
g : vec[ [int -> [int -> int]] ] = {x -> y -> 10*x + y}
print d(1), e(1, 2, 3), g[0](1)(2)
f()
h : [[int]|[scalar|string]] = "text"
print h
function [] = __kernel__ k(y : vec, z : ivec, pos : int, blkpos : int, blkdim : int)
    a = shared[int](4)
    b = shared_zeros[uint8](4)
    a[blkpos] = pos
    syncthreads
    y[pos] = a[blkdim - 1 - blkpos] + b[blkpos]
    z[pos] = numel(a) + numel(b)
endfunction
y1 = zeros(4)
z1 = zeros[int](4)
parallel_do([[4],[4]], y1, z1, k)
print y1, z1
u = cell[vec](2)
u[1] = [1.5,2]
print type(uninit[int](2)), " ", type(ones[int](2)), " ", type(u), " ", u[1][0] + 1, " ", type(cell[int](2,2)), " ", type(cell(2))
