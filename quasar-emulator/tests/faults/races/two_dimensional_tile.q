% race s 4 5
function [] = __kernel__ tile(x : mat, y : mat, pos : ivec2, blkpos : ivec2, blkdim : ivec2)
    s = shared(4, 4)
    s[blkpos] = x[pos]
    y[pos] = s[blkpos[1], blkpos[0]]
endfunction
x = reshape(float(0..15), [4, 4])
y = zeros(4, 4)
parallel_do([[4, 4], [4, 4]], x, y, tile)
