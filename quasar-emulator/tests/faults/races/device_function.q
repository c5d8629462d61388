% race y 3
function [] = __device__ put(y : vec, k : int, x : scalar)
    y[k] = x
endfunction
function [] = __kernel__ scatter(y : vec, pos : int)
    put(y, int(pos / 2), pos)
endfunction
y = zeros(8)
parallel_do(8, y, scatter)
