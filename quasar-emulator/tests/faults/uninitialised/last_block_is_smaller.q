% uninitialised s 8
function [] = __kernel__ k(x : vec, y : vec, n : int, pos : int, blkpos : int, blkdim : int)
    s = shared(8)
    if pos < n
        s[blkpos] = x[pos]
    endif
    syncthreads
    y[pos] = s[blkdim - 1 - blkpos]
endfunction
parallel_do([[16], [8]], float(0..11), zeros(16), 12, k)
