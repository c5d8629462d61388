% race y 3
function [] = __kernel__ last(x : vec, y : vec, pos : int)
    y[0] = x[pos]
endfunction
y = zeros(1)
parallel_do(8, float(0..7), y, last)
