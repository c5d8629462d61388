% race y 3 6
function [] = __kernel__ relay(y : vec, pos : int, blkidx : int, blkpos : int)
    y[pos] = pos
    syncthreads
    if blkidx == 0
        y[pos] = y[pos + 4]
    endif
endfunction
y = zeros(8)
parallel_do([[8], [4]], y, relay)
