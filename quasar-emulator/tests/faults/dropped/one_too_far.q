% dropped y 3
function [] = __kernel__ k(y : vec, pos : int)
    y[pos + 1] = pos
endfunction
parallel_do(8, zeros(8), k)
