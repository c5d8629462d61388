% dropped y 3
function [] = __kernel__ k(y : vec'mirror, pos : int)
    y[2 * pos] = pos
endfunction
parallel_do(8, zeros(8), k)
