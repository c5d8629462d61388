% The parameters that launches fill in, shadow threads, and arrays that threads make.
function [] = __kernel__ k(y : mat, pos : ivec2, blkpos : ivec2, blkdim : ivec2, blkidx : ivec2, blkcnt : ivec2, warpsize : int)
    ok = 1
    for i = 0..1
        ok = ok && (pos[i] == blkidx[i]*blkdim[i] + blkpos[i]) && (blkpos[i] < blkdim[i]) && blkidx[i] < blkcnt[i]
    endfor
    y[pos] = ok + 10*blkcnt[0] + 100*blkcnt[1]
endfunction
y = zeros(5,6)
parallel_do([[5,6],[2,4]], y, k)
print y[0,0], y[4,5], sum(y)
function [] = __kernel__ v2(y : mat, pos : vec2)
    y[pos] = pos[0] / 2 + pos[1]
endfunction
y = zeros(2,2)
parallel_do([2,2], y, v2)
print y
function [] = __kernel__ gr(y : vec, this_thread_block, this_grid, coalesced_threads, pos : int)
    y[pos] = this_thread_block.size + 100 * this_thread_block.thread_idx + 10000*this_grid.size
endfunction
z = zeros(4)
parallel_do([[4],[2]], z, gr)
print z
print max_block_size(v2), max_block_size(v2,[4,4]), max_block_size([16,32])
print numel(opt_block_size(v2, [100,100]))
function [] = __kernel__ shad(y : vec, g : vec, n : ivec, pos : int, blkpos : int)
    s = shared(4)
    s[blkpos] = g[pos] + pos
    syncthreads
    y[pos] = s[3-blkpos]
    n[0] += 1
    y[7] = 3
endfunction
y = zeros(6)
n = [0]
parallel_do([[6],[4]], y, ones(6), n, shad)
print y, n
function [] = __kernel__ loc(y : mat, n : int, pos : int)
    acc = zeros(4)
    m = [[1,2],[3,4]]
    big = zeros(n)
    big[n-1] = pos
    o = ones(n,2)
    e = eye(n)
    c = copy(big)
    r = reshape(o, [2,n])
    rp = repmat([1.0,2],[1,n])
    sd = shuffledims(o,[1,0])
    sq = 0..n
    ls = linspace(0,1,n)
    cz = czeros(n)
    re = real(cz)
    im = imag(cz)
    cx = complex(big)
    u = uninit(n)
    u[0] = 1
    mp = e * o
    sl = o[0..1,:]
    ex = o + 1
    acc[1] = sum(m) + big[n-1] + sum(o) + sum(e) + c[n-1] + r[1,2] + rp[0,3] + sd[1,2] + sq[2] + ls[n-1] + re[0] + im[0] + real(cx[n-1]) + u[0] + mp[0,0] + sl[0,0] + ex[0,0]
    y[pos,:] = acc
endfunction
y = zeros(2,4)
parallel_do(2, y, 3, loc)
print y
