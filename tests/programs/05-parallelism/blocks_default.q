% With automatic blocks every position is that of its block and its place in it.
function [] = __kernel__ consistent(y : mat, pos : ivec2, blkpos : ivec2, blkidx : ivec2, blkdim : ivec2, blkcnt : ivec2)
    ok = 1
    for k = 0..1
        if pos[k] != blkidx[k]*blkdim[k] + blkpos[k] || blkpos[k] >= blkdim[k] || blkidx[k] >= blkcnt[k]
            ok = 0
        endif
    endfor
    y[pos] = ok
endfunction
y = zeros(37, 53)
parallel_do(size(y), y, consistent)
print sum(y) == 37*53
