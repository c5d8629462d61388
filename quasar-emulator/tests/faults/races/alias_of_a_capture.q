% race x 3
function [] = __kernel__ shift(x : vec, y : vec, pos : int)
    y[pos + 1] = x[pos]
endfunction
a = zeros(9)
f = () -> a
b = f()
parallel_do(8, b, a, shift)
