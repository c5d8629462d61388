function [] = __kernel__ k(x : vec, y : vec, pos : int, warpsize : int)
    y[pos] = x[pos]
    memfence(grid)
    syncthreads(warp)
    y[pos] = y[pos] + (warpsize >= 1)
endfunction
y = zeros(3)
parallel_do(3, [1.0,2,3], y, k)
print y
