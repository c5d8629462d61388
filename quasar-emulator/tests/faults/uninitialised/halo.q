% uninitialised s 6
function [] = __kernel__ k(x : vec, y : vec, pos : int, blkpos : int)
    s = shared(10)
    s[blkpos + 1] = x[pos]
    syncthreads
    y[pos] = s[blkpos] + s[blkpos + 2]
endfunction
parallel_do([[8], [8]], float(0..7), zeros(8), k)
