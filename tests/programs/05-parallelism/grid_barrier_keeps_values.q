% Values of threads, shared memory of blocks and loops live on across barriers over the grid.
function [] = __kernel__ rotate(x : vec, total : vec, rounds : int, pos : int, blkpos : int, blkdim : int, blkidx : int)
    s = shared(4)
    mine = x[pos]
    s[blkpos] = mine * 10
    for k = 1..rounds
        x[pos] = mine + k
        syncthreads(grid)
        mine = x[mod(pos + 1, 12)]
        syncthreads(grid)
    endfor
    syncthreads
    x[pos] = mine + s[blkdim - 1 - blkpos]
    total[blkidx] += mine
endfunction
x = float(0..11)
total = zeros(3)
parallel_do([[12], [4]], x, total, 3, rotate)
print x
print total

% Blocks go their own ways between barriers over the grid; padded threads come along.
function [] = __kernel__ ways(y : ivec, z : ivec, pos : int, blkpos : int, blkidx : int)
    s = shared(4)
    if blkidx == 1
        s[blkpos] = pos
        syncthreads
        y[pos] = int(s[3 - blkpos])
    else
        for k = 0..blkidx
            s[blkpos] = k
            syncthreads
            y[pos] += int(s[3 - blkpos]) + 1
            syncthreads
        endfor
    endif
    syncthreads(grid)
    z[pos] = y[9 - pos]
endfunction
[y, z] = [zeros[int](10), zeros[int](10)]
parallel_do([[10], [4]], y, z, ways)
print y
print z
