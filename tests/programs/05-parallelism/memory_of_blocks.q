% Shared memory of every form, its bounds, barriers and fences.
function [] = __kernel__ sh(y : mat, d : ivec2, pos : int, blkpos : int, blkdim : int)
    a = shared(4)
    b = shared(2,4)
    c = shared(2,2,2)
    e = shared([2,4])
    i = shared[int](4)
    z = shared_zeros(4)
    z2 = shared_zeros[int](2,2)
    syncthreads
    a[blkpos] = pos
    b[1,blkpos] = pos
    e[0,blkpos] = 2*pos
    i[blkpos] = pos
    if blkpos == 0
        c[1,1,1] = 5
    endif
    syncthreads(block)
    y[pos,0] = a[3-blkpos]
    y[pos,1] = b[1,3-blkpos] + c[1,1,1] + a[77]
    y[pos,2] = e[0,3-blkpos] + i[0]
    y[pos,3] = z[blkpos] + z2[1,1]
    memfence(block)
    memfence(grid)
    memfence(host)
    memfence()
    syncthreads(warp)
endfunction
y = zeros(4,4)
parallel_do([[4],[4]], y, [1,2], sh)
print y
function [] = __kernel__ bound(y : vec, M : int, N : int, pos : int, blkpos : int)
    assert(M < 8 && N <= 4)
    s = shared(M,N)
    s[0,blkpos] = pos
    syncthreads
    y[pos] = s[0,1-blkpos]
endfunction
y = zeros(2)
parallel_do([[2],[2]], y, 7, 4, bound)
print y
try
    parallel_do([[2],[2]], y, 9, 4, bound)
catch e
    print e.message
endtry
function [] = __kernel__ grid(x : vec, y : vec, pos : int)
    x[pos] = pos
    syncthreads(grid)
    y[pos] = x[numel(x) - 1 - pos]
endfunction
x = zeros(2000)
y = zeros(2000)
parallel_do(2000, x, y, grid)
print y[0], y[1999]
