% uninitialised s 4
function [] = __kernel__ k(y : vec, pos : int, blkpos : int)
    s = shared(8)
    y[pos] = s[blkpos]
endfunction
parallel_do([[8], [8]], zeros(8), k)
