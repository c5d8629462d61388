% race y 3
function [] = __kernel__ spread(x : vec, y : vec'safe, pos : int)
    y[pos..pos + 1] = [x[pos], x[pos]]
endfunction
y = zeros(8)
parallel_do(8, float(0..7), y, spread)
