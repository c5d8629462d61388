% barrier 4
function [] = __kernel__ k(y : vec, pos : int)
    if pos < 3
        syncthreads(warp)
    endif
    y[pos] = 1
    syncthreads
endfunction
y = zeros(32)
parallel_do([[32], [32]], y, k)
