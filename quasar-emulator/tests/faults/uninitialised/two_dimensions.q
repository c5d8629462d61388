% uninitialised s 6
function [] = __kernel__ k(x : mat, y : mat, pos : ivec2, blkpos : ivec2)
    s = shared(4, 5)
    s[blkpos] = x[pos]
    syncthreads
    y[pos] = s[blkpos[0], blkpos[1] + 1]
endfunction
parallel_do([[4, 4], [4, 4]], zeros(4, 4), zeros(4, 4), k)
