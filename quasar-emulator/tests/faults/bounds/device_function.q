% bounds x 3
function y = __device__ mean_of_two(x : vec'unchecked, k : int)
    y = (x[k] + x[k + 1]) / 2
endfunction
function [] = __kernel__ k(x : vec'unchecked, y : vec, pos : int)
    y[pos] = mean_of_two(x, pos)
endfunction
parallel_do(8, float(0..7), zeros(8), k)
