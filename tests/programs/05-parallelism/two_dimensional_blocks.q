function [] = __kernel__ where_am_i(y : imat, pos : ivec2, blkpos : ivec2, blkidx : ivec2, blkdim : ivec2, blkcnt : ivec2)
    y[pos] = 1000*blkcnt[0] + 100*blkcnt[1] + 10*(blkidx[0]*blkdim[0] + blkpos[0]) + blkidx[1]*blkdim[1] + blkpos[1]
endfunction
y = mat[int](3,4)
parallel_do([[3,4],[2,2]], y, where_am_i)
print y
