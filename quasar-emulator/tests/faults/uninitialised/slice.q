% uninitialised s 9
function [] = __kernel__ k(x : vec, y : vec, pos : int, blkpos : int)
    s = shared(8)
    if blkpos < 7
        s[blkpos] = x[pos]
    endif
    syncthreads
    if blkpos == 0
        y[0] = sum(s[0..7])
    endif
endfunction
parallel_do([[8], [8]], float(0..7), zeros(8), k)
