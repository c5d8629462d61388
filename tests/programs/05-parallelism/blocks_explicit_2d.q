% Block coordinates of an explicit block size, where the blocks do not divide the grid.
function [] = __kernel__ where(y : imat, z : imat, w : imat, pos : ivec2, blkpos : ivec2, blkidx : ivec2, blkdim : ivec2, blkcnt : ivec2)
    y[pos] = 10*blkpos[0] + blkpos[1]
    z[pos] = 10*blkidx[0] + blkidx[1]
    w[pos] = 1000*blkcnt[0] + 100*blkcnt[1] + 10*blkdim[0] + blkdim[1]
endfunction
y = mat[int](3, 5)
z = mat[int](3, 5)
w = mat[int](3, 5)
parallel_do([[3, 5], [2, 3]], y, z, w, where)
print y
print z
print w
