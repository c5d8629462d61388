% What kernels take, and the results that their threads accumulate.
type col : enum
    R
    G
endtype
type pt : mutable class
    x : int
endtype
function [total : int, avg : scalar, c : cscalar, v : vec3] = __kernel__ sums(x : vec, k : col, o : pt, os : vec[pt], cl : vec[mat], f : [__device__ scalar -> scalar], pos : int)
    total += 1
    avg += f(x[pos]) / 4
    c += 1j
    v += [1,2,k]
    o.x = 5
    os[pos].x = pos
    cl[0][0,0] = 77
endfunction
o = pt(1)
os = vec[pt](4)
cl : vec[mat] = {zeros(1,1), zeros(2,2)}
q = 10
[a,b,c,d] = parallel_do(4, [1.0,2,3,4], col.G, o, os, cl, __device__ (x : scalar) -> x + q, sums)
print a, " ", b, " ", c, d, o, os[3], cl
function total : scalar = __kernel__ sumk(x : vec, pos : int)
    total += x[pos]
endfunction
print parallel_do(3, [1.0,2,3], sumk)
function [] = __kernel__ tp(t : vec[{int,scalar}], y : vec, pos : int)
    y[pos] = t[0] + t[1]
endfunction
y = zeros(2)
parallel_do(2, {1, 2.5}, y, tp)
print y
