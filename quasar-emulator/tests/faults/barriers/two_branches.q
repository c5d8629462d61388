% barrier 4 6
function [] = __kernel__ k(y : vec, pos : int, blkpos : int)
    if mod(blkpos, 2) == 0
        syncthreads
    else
        syncthreads
    endif
    y[pos] = pos
endfunction
parallel_do([[8], [4]], zeros(8), k)
