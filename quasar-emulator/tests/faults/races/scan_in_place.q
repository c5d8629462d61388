% race s 7
function [] = __kernel__ scan(x : vec, pos : int, blkpos : int)
    s = shared(8)
    s[blkpos] = x[pos]
    syncthreads
    if blkpos > 0
        s[blkpos] = s[blkpos] + s[blkpos - 1]
    endif
    syncthreads
    x[pos] = s[blkpos]
endfunction
parallel_do([[8], [8]], float(0..7), scan)
