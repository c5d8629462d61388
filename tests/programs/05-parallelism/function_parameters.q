function y : scalar = __device__ square(x : scalar)
    y = x*x
endfunction
function [] = __kernel__ map(f : [__device__ scalar -> scalar], x : vec, y : vec, pos : int)
    y[pos] = f(x[pos])
endfunction
x = [1.0,2,3]
y = zeros(3)
parallel_do(3, square, x, y, map)
print y
half = __device__ (x : scalar) -> x/2
parallel_do(3, half, x, y, map)
print y
