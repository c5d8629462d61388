% Device functions that change small arrays: those of a kernel, of a block, of a thread, and of a loop.
function [] = __device__ count(v, k : int)
    v[k] += 1
endfunction
function n : int = __device__ both(h : vec(8), t : mat(2,2), k : int)
    count(h, mod(k, 8))
    t[mod(k, 2), 0] += 1
    t[0, mod(k, 2)] += 2
    n = k
endfunction
function [] = __kernel__ change(h : vec(8), t : mat(2,2), own : vec, pos : int)
    k = both(h, t, pos)
    mine = zeros(8)
    m = zeros(2, 2)
    k += both(mine, m, pos)
    k += both(mine, t, pos)
    own[mod(pos, 8)] += sum(mine)*100 + m[0,0] + (k - 3*pos)
    h[0] += 1
endfunction
h = zeros(8)
t = zeros(2, 2)
own = zeros(8)
parallel_do(8000, h, t, own, change)
print h
print t
print own
% Shared memory.
function [] = __kernel__ tables(s : mat, pos : int, blkpos : int, blkidx : int)
    t = shared_zeros(4)
    syncthreads
    count(t, mod(pos, 4))
    syncthreads
    if blkpos < 4
        s[blkidx, blkpos] = t[blkpos]
    endif
endfunction
s = zeros(4, 4)
parallel_do([[256],[64]], s, tables)
print s
% A loop, which becomes a kernel.
m = zeros(2, 2)
{!parallel for}
for i = 0..9999
    k = both(h, m, i)
endfor
print m, h
