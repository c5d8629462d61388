% uninitialised s 8
function [] = __kernel__ k(x : vec, y : vec, pos : int, blkpos : int)
    s = shared(8)
    if blkpos < 4
        s[blkpos] = x[pos]
    endif
    syncthreads
    y[pos] = s[blkpos]
endfunction
parallel_do([[8], [8]], float(0..7), zeros(8), k)
