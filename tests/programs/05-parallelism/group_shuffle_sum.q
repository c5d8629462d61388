% Sums over warps by shuffles, then one atomic addition for each warp; whatever the size of warps is, the total is the same.
function [] = __kernel__ add_up(x : vec'unchecked, n : int, total : vec, pos : int, this_thread_block : thread_block)
    warp = this_thread_block.partition(32)
    value = pos < n ? x[pos] : 0.0
    distance = 16
    while distance > 0
        other = warp.shfl_down(value, distance)
        if warp.thread_idx + distance < warp.size
            value += other
        endif
        distance = int(distance / 2)
    endwhile
    if warp.thread_idx == 0 && pos < n
        total[0] += value
    endif
endfunction
x = float(0..499)
total = zeros(1)
parallel_do([[500], [96]], x, 500, total, add_up)
print total[0], " ", sum(x)

% The same by exchanges in pairs: every thread has the sum of its tile.
function [] = __kernel__ tiles(x : ivec, total : ivec, pos : int, coalesced_threads : thread_block)
    tile = coalesced_threads.partition(8)
    value = x[pos]
    bit = 1
    while bit < tile.size
        value += tile.shfl_xor(value, bit)
        bit = bit * 2
    endwhile
    if tile.thread_idx == 0
        total[0] += value
    endif
endfunction
y = 1..64
total = zeros[int](1)
parallel_do([[64], [32]], y, total, tiles)
print total[0], " ", sum(y)
