% A histogram in shared memory, combined with atomic updates.
function [] = __kernel__ histogram(x : ivec, h : ivec, pos : int, blkpos : int, blkdim : int)
    s = shared_zeros[int](4)
    syncthreads
    s[mod(x[pos], 4)] += 1
    syncthreads
    if blkpos < 4
        h[blkpos] += s[blkpos]
    endif
endfunction
x = vec[int](1000)
for k = 0..999
    x[k] = k*k
endfor
h = vec[int](4)
parallel_do([[1000], [50]], x, h, histogram)
print h
