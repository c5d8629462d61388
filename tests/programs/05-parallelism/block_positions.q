function [] = __kernel__ blocks(y : ivec, z : ivec, pos : int, blkpos : int, blkidx : int, blkdim : int, blkcnt : int)
    y[pos] = blkpos + 100*blkidx
    z[pos] = (blkidx*blkdim + blkpos == pos) + 10*blkcnt
endfunction
y = vec[int](6)
z = vec[int](6)
parallel_do([[6],[3]], y, z, blocks)
print y, z
