% barrier 4
function [] = __kernel__ k(y : vec, pos : int, blkpos : int)
    if blkpos < 2
        syncthreads
    endif
    y[pos] = pos
endfunction
parallel_do([[8], [4]], zeros(8), k)
