% A tile of shared memory, padded threads included: their global stores are suppressed, their shared stores are not.
function [] = __kernel__ transpose_tile(x : mat, y : mat, pos : ivec2, blkpos : ivec2, blkidx : ivec2, blkdim : ivec2)
    tile = shared(4, 4)
    tile[blkpos[1], blkpos[0]] = x[pos]
    syncthreads
    y[blkidx[1]*4 + blkpos[0], blkidx[0]*4 + blkpos[1]] = tile[blkpos]
endfunction
x = mat(8, 4)
for m = 0..7
    for n = 0..3
        x[m, n] = 10*m + n
    endfor
endfor
y = zeros(4, 8)
parallel_do([[8, 4], [4, 4]], x, y, transpose_tile)
print y
