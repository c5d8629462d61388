% Instances of generic functions are values: in variables, cells, arguments and loops.
function l = create_list[T](n : int)
    l = vec[T](n)
endfunction
function y = scaled[T](x : T, s : T)
    y = x * s
endfunction
function y = __device__ shifted[T](x : T)
    y = x + 1
endfunction
function y = apply(f, x)
    y = f(x, 3)
endfunction
function [] = __kernel__ fill(y : vec, f : [__device__ scalar -> scalar], pos : int)
    y[pos] = f(pos)
endfunction
make = create_list[int]
a = make(3)
a[1] = 4
print a, " ", type(a)
both = {scaled[int], scaled[scalar]}
print both[0](3, 4), " ", both[1](2.5, 2)
print apply(scaled[scalar], 1.5)
x = [1.,2.,3.]
for k = 0..2
    h = scaled[scalar]
    x[k] = h(x[k], 2)
endfor
print x
y = zeros(4)
parallel_do(4, y, shifted[scalar], fill)
print y
