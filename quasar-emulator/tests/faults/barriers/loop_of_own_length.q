% barrier 4
function [] = __kernel__ k(y : vec, pos : int, blkpos : int)
    for n = 0..blkpos
        syncthreads
        y[pos] = n
    endfor
endfunction
parallel_do([[4], [4]], zeros(4), k)
