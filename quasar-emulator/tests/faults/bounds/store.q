% bounds y 3
function [] = __kernel__ k(y : vec'unchecked, pos : int)
    y[2 * pos] = pos
endfunction
parallel_do(8, zeros(8), k)
