% Threads beyond the grid call functions too, and what they put into shared memory counts; what they accumulate does not.
function y = __device__ twice(x : int)
    y = 2 * x
    if x > 100
        y = y + 1
    endif
end

function [total : int] = __kernel__ opposite(y : ivec, pos : int, blkpos : int, blkdim : int)
    s = shared[int](8)
    s[blkpos] = twice(blkpos + 3)
    syncthreads
    y[pos] = s[blkdim - 1 - blkpos]
    total += twice(1)
end

function [] = main()
    y = zeros[int](5)
    n = parallel_do([[5], [4]], y, opposite)
    print y, " ", n
end
