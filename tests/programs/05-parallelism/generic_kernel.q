function [] = __kernel__ scale[T](x : vec[T], y : vec[T], k : T, pos : int)
    y[pos] = k*x[pos]
endfunction
a = zeros(2)
b = vec[int](2)
parallel_do(2, [1.0,2], a, 0.5, scale)
parallel_do(2, [1,2], b, 3, scale)
print a, b
