% bounds table 3
function [] = __kernel__ k(x : ivec, table : vec'unchecked, y : vec, pos : int)
    y[pos] = table[x[pos]]
endfunction
parallel_do(4, [0, 1, 2, 9], zeros(4), zeros(4), k)
