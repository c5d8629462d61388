% race x 3
function [] = __kernel__ shift(x : vec, y : vec, pos : int)
    y[pos + 1] = x[pos]
endfunction
function y = same(x)
    y = x
endfunction
a = zeros(9)
b = same(a)
parallel_do(8, a, b, shift)
