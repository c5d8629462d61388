% barrier 4
function [] = __kernel__ k(y : vec, pos : int, blkidx : int)
    if blkidx == 0
        syncthreads(grid)
    endif
    y[pos] = pos
endfunction
parallel_do([[8], [4]], zeros(8), k)
