% Named kernels and device functions read the variables of their module, as these are when they are called or launched:
% directly, through other functions, in defaults, as values, and by the boundary mode of the variable.
import "modules/shared.q"
scale = 2.0
scale = 3.0
tab = [1.0, 2, 3]
tab = [4.0, 5, 6]
T : 'circular = [1.0, 2]
T = [7.0, 8]
out = zeros(3)
out = zeros(3)
function y = __device__ low(x : scalar)
    y = x * scale + T[5]
endfunction
function y = __device__ mid(x, w = scale)
    y = low(x) + tab[0] + w
endfunction
function y = __device__ other(n)
    y = n * scale
endfunction
function y : scalar = __device__ rec(n : int)
    if n <= 0
        y = scale
    else
        y = rec(n - 1) + 1
    endif
endfunction
function [] = __kernel__ k(y : vec, pos : int)
    y[pos] = mid(pos)
    out[pos] = rec(pos)
endfunction
function [] = __kernel__ apply(y : vec, f : [__device__ scalar -> scalar], pos : int)
    y[pos] = f(pos)
endfunction
function [total : scalar] = __kernel__ summed(pos : int)
    total += tab[pos]
endfunction
function [] = go()
    y = zeros(3)
    parallel_do(3, y, k)
    print y, out
    parallel_do(3, __kernel__ (pos) -> out[pos] += mid(tab[pos]))
    print out, mid(1), " ", rec(2)
    f = mid
    g = numel(y) > 2 ? low : other
    h : ?? = low
    print f(1), " ", f(1, 2), " ", g(2), " ", h(2)
    z = zeros(5)
    for i = 0..4
        z[i] = mid(i) + tab[mod(i, 3)]
    endfor
    print z
    u = zeros(2)
    parallel_do(2, u, low, apply)
    print u, serial_do(3, summed)
    function [] = __kernel__ inner(y : vec, pos : int)
        y[pos] = scale + offset_of(pos)
    endfunction
    parallel_do(2, u, inner)
    print u
endfunction
go()
scale = 1
tab = [0.0, 0, 1]
T = [0.0, 0]
move(30)
go()
