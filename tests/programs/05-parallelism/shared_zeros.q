function [] = __kernel__ block_histogram(x : ivec, h : ivec, pos : int, blkpos : int)
    s = shared_zeros[int](4)
    syncthreads
    s[x[pos]] += 1
    syncthreads
    if blkpos < 4
        h[blkpos] += s[blkpos]
    endif
endfunction
x = mod(0..15, 4)
h = vec[int](4)
parallel_do([[16],[8]], x, h, block_histogram)
print h
