% race y 2
put = __device__ (y : vec, k : int) -> (y[0] = k)
function [] = __kernel__ all(y : vec, put : [__device__ (vec, int) -> ??], pos : int)
    put(y, pos)
endfunction
y = zeros(1)
parallel_do(4, y, put, all)
