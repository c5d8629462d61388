% barrier 7
function [] = __kernel__ k(y : vec, pos : int, blkpos : int)
    for n = 0..3
        if n == 2 && blkpos == 1
            continue
        endif
        syncthreads
        y[pos] = n
    endfor
endfunction
parallel_do([[4], [4]], zeros(4), k)
