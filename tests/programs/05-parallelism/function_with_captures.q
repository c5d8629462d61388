% Device functions that capture one, two, three and twelve values, as arguments of a kernel.
function [] = __kernel__ map(f : [__device__ scalar -> scalar], x : vec, y : vec, pos : int)
    y[pos] = f(x[pos])
endfunction
a = 1.0
b = 10
c : vec3 = [100.0,200,300]
x = [1.0,2,3]
y = zeros(3)
one = __device__ (x : scalar) -> x + a
parallel_do(3, one, x, y, map)
print y
two = __device__ (x : scalar) -> x*b + a
parallel_do(3, two, x, y, map)
print y
three = __device__ (x : scalar) -> x*b + a + c[1]
parallel_do(3, three, x, y, map)
print y
d = 1000
e = 2000
f = 3000
g = 4000
h = 5000
i = 6000
j = 7000
k = 8000
l = 9000
twelve = __device__ (x : scalar) -> x*b + a + c[1] + d + e + f + g + h + i + j + k + l
parallel_do(3, twelve, x, y, map)
print y
