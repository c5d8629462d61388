% race s 4 6
function [] = __kernel__ k(y : vec, pos : int, blkpos : int)
    s = shared(64)
    s[blkpos] = pos
    syncthreads(warp)
    y[pos] = s[63 - blkpos]
endfunction
y = zeros(64)
parallel_do([[64], [64]], y, k)
