% dropped y 3
function [] = __device__ put(y : vec, k : int)
    y[k] = 1
endfunction
function [] = __kernel__ k(y : vec, pos : int)
    put(y, pos + 4)
endfunction
parallel_do(8, zeros(8), k)
