% uninitialised s 8
function [] = __kernel__ k(x : vec, y : vec, pos : int, blkpos : int, blkidx : int)
    s = shared(4)
    if blkidx == 0
        s[blkpos] = x[pos]
    endif
    syncthreads
    y[pos] = s[blkpos]
endfunction
parallel_do([[8], [4]], float(0..7), zeros(8), k)
