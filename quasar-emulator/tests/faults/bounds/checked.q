% bounds x 3
function [] = __kernel__ k(x : vec'checked, y : vec, pos : int)
    y[pos] = x[pos + 1]
endfunction
parallel_do(8, float(0..7), zeros(8), k)
