% bounds s 5
function [] = __kernel__ k(x : vec, y : vec, pos : int, blkpos : int)
    s : vec'unchecked = shared(4)
    s[blkpos] = x[pos]
    s[blkpos + 4] = 0
    syncthreads
    y[pos] = s[blkpos]
endfunction
parallel_do([[4], [4]], float(0..3), zeros(4), k)
