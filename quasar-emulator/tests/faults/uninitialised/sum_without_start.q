% uninitialised s 4
function [] = __kernel__ k(x : vec, y : vec, pos : int, blkpos : int, blkidx : int)
    s = shared(1)
    s[0] += x[pos]
    syncthreads
    if blkpos == 0
        y[blkidx] = s[0]
    endif
endfunction
parallel_do([[8], [8]], float(0..7), zeros(1), k)
