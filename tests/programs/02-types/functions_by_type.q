% Function types of every form, in variables, cells and fields and as parameters of kernels.
f1 : [int -> int] = x -> x + 1
f2 : [(mat,scalar) -> (mat,mat)] = (m, s) -> {m + s, m * s}
[p,q] = f2(ones(1,2), 3)
print f1(1), p, q
f3 : [int -> int -> int] = x -> y -> x * y
print f3(3)(4)
function y = add(...v : vec[scalar])
    y = 0.0
    for i = 0..numel(v)-1
        y += v[i]
    endfor
endfunction
f4 : [...scalar -> scalar] = add
print f4(1,2,3)
function [] = say(a : scalar, ...v : vec[scalar])
    print a, numel(v)
endfunction
f5 : [(scalar, ...vec[scalar]) -> ()] = say
f5(1,2,3)
f6 : [__device__ (vec2) -> scalar] = __device__ (v : vec2) -> v[0] + v[1]
print f6([1,2])
function [] = __kernel__ kk(a : cube, b : cube, pos : ivec3)
    b[pos] = 2 * a[pos]
endfunction
f7 : [__kernel__ (cube,cube) -> ()] = kk
b = zeros(2,2,2)
parallel_do(size(b), ones(2,2,2), b, f7)
print sum(b)
fs = {sin, cos}
print fs[1](0)
type holder : mutable class
    f : [scalar -> scalar]
endtype
hh = holder(x -> x * 3)
print hh.f(2)
function [] = __kernel__ ap(y : vec, g : [__device__ scalar -> scalar], pos : int)
    y[pos] = g(pos)
endfunction
k = 10
y = zeros(2)
parallel_do(2, y, __device__ (x : scalar) -> x + k, ap)
print y
