% Branches and loops that threads of a warp take apart: those that are there together are the group.
function [] = __kernel__ apart(x : ivec, y : imat, pos : int, coalesced_threads, this_thread_block)
    warp = this_thread_block.partition(32)
    if mod(pos, 3) == 0
        group = this_thread_block.partition(1)
        y[pos, 0] = group.shfl(x[pos], 0)
    else
        y[pos, 0] = -warp.size
    endif
    v = x[pos]
    k = 0
    while k < mod(pos, 5)
        one = this_thread_block.partition(1)
        v += one.shfl_down(v, 1)
        k += 1
    endwhile
    y[pos, 1] = warp.shfl_down(v, 1)
    y[pos, 2] = warp.ballot(k > 3) > 0
    if pos >= 32
        y[pos, 3] = warp.shfl(x[pos], 5)
        if mod(pos, 2) == 0 || pos == 33
            y[pos, 3] += 1000
        endif
    endif
endfunction
y = zeros[int](40, 4)
parallel_do([[40], [40]], 0..39, y, apart)
print y[0..9, :]
print y[30..39, :]

% A barrier of the warp: what its threads have written to shared memory is there behind it.
function [] = __kernel__ turned(x : ivec, y : ivec, pos : int, blkpos : int)
    s = shared[int](64)
    s[blkpos] = x[pos]
    syncthreads(warp)
    base = int(blkpos / 32) * 32
    y[pos] = s[base + 31 - (blkpos - base)]
endfunction
y = zeros[int](128)
parallel_do([[128], [64]], 0..127, y, turned)
print y[[0, 31, 32, 63, 64, 127]]
