% Five positions in blocks of four: three padded threads take part in the barrier, read zero and store nothing.
function [total : int] = __kernel__ neighbours(x : ivec, y : ivec, pos : int, blkpos : int, blkdim : int)
    s = shared[int](8)
    s[blkpos] = x[pos] + 1
    syncthreads
    y[pos] = s[blkdim - 1 - blkpos]
    total += 1
endfunction
x = [10, 20, 30, 40, 50]
y = vec[int](8)
t = parallel_do([[5], [4]], x, y, neighbours)
print y
print t
