% The sum of a warp by shuffles: every thread of a warp of 32 has its value, whatever runs the kernel.
function total = __device__ reduce_sum(group : thread_block, value : scalar)
    total = value
    distance = int(group.size / 2)
    while distance > 0
        total += group.shfl_down(total, distance)
        distance = int(distance / 2)
    endwhile
endfunction
function [] = __kernel__ sums(x : vec, y : vec, z : ivec, pos : int, coalesced_threads, this_thread_block, warpsize : int)
    total = reduce_sum(coalesced_threads, x[pos])
    if coalesced_threads.thread_idx == 0
        y[0] += total
    endif
    tile = this_thread_block.partition(4)
    part = reduce_sum(tile, x[pos])
    if tile.thread_idx == 0
        y[1] += part
    endif
    z[pos] = tile.size + 10 * tile.thread_idx + 100 * warpsize
endfunction
y = zeros(2)
z = zeros[int](64)
parallel_do([[64], [64]], ones(64), y, z, sums)
print y, z[0..5]

% Blocks whose last warp is not full, and blocks of two dimensions, whose warps go along the rows.
function [] = __kernel__ ranks(y : imat, pos : ivec2, this_thread_block)
    warp = this_thread_block.partition(32)
    y[pos] = warp.thread_idx + 100 * warp.size + 10000 * warp.shfl_xor(pos[1], 1)
endfunction
y = zeros[int](3, 14)
parallel_do([[3, 14], [3, 14]], y, ranks)
print y
