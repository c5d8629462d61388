% uninitialised h 4
function [] = __kernel__ k(x : ivec, y : ivec, pos : int, blkpos : int)
    h = shared[int](4)
    h[x[pos]] += 1
    syncthreads
    if blkpos < 4
        y[blkpos] += h[blkpos]
    endif
endfunction
parallel_do([[8], [8]], mod(0..7, 4), ivec(4), k)
