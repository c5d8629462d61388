% dropped bins 3
function [] = __kernel__ k(x : ivec, bins : vec, pos : int)
    bins[x[pos]] += 1
endfunction
parallel_do(4, [0, 1, 5, 1], zeros(3), k)
