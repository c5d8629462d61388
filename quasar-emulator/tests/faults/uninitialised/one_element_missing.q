% uninitialised s 6
function [] = __kernel__ k(x : vec, y : vec, pos : int, blkpos : int)
    s = shared(9)
    s[blkpos] = x[pos]
    syncthreads
    y[pos] = s[blkpos + 1]
endfunction
parallel_do([[8], [8]], float(0..7), zeros(8), k)
