% Results of launches of each kind, special parameters, local and shared memory of kernels.
function total : int = __kernel__ s(x : ivec, pos : int)
    total += x[pos]
endfunction
print serial_do(3, [1,2,3], s)
print parallel_do(0, [1,2,3], s)
function [v : vec3, c : cscalar] = __kernel__ fixed(pos : int)
    v += [1, pos, 2]
    c += 1j
endfunction
[v, c] = parallel_do(3, fixed)
print v, c
print multi_parallel_do(3, [1,2,3], s)
function [] = __kernel__ groups(y : mat, pos : ivec2, blkpos : vec2, blkidx, blkdim, blkcnt, warpsize)
    y[pos] = blkidx[0] * 1000 + blkcnt[1] * 100 + blkdim[0] * 10 + blkpos[1]
endfunction
y = zeros(2,4)
parallel_do([[2,4],[1,2]], y, groups)
print y
print max_block_size([16,32])
function [] = __kernel__ loc(y : mat, pos : int)
    acc = zeros(4)
    m = [[1,2],[3,4]]
    acc[1] = pos
    acc[2] += m[1,0]
    y[pos,:] = acc
endfunction
z = zeros(2,4)
parallel_do(2, z, loc)
print z
function [] = __kernel__ sh(y : vec, d : ivec2, pos : int, blkpos : int)
    s = shared([4,2])
    s[blkpos, 1] = pos
    t = shared_zeros[int](2,2,2)
    syncthreads
    y[pos] = s[3 - blkpos, 1] + t[1,1,1]
endfunction
w = zeros(4)
parallel_do([[4],[4]], w, [1,2], sh)
print w
function [] = __kernel__ wr(y : vec, pos : int, blkpos : int)
    s : mat'unchecked = shared(4, 1)
    s[blkpos,0] = 2 * pos
    syncthreads(block)
    memfence(block)
    y[pos] = s[3-blkpos,0]
    memfence(host)
    memfence()
endfunction
parallel_do([[4],[4]], w, wr)
print w
