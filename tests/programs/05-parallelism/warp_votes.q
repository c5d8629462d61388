% Votes and equal values of warps and of their parts.
function [] = __kernel__ votes(x : ivec, y : imat, pos : int, coalesced_threads, this_thread_block)
    warp = coalesced_threads
    y[pos, 0] = warp.any(x[pos] == 40) + 10 * warp.all(x[pos] < 40)
    tile = this_thread_block.partition(8)
    y[pos, 1] = int(tile.ballot(mod(x[pos], 3) == 0))
    y[pos, 2] = int(tile.match_any(int(x[pos] / 3)))
    y[pos, 3] = int(tile.match_all(int(x[pos] / 16)))
    y[pos, 4] = tile.shfl_up(x[pos], 3)
    half = tile.partition(4)
    y[pos, 5] = half.shfl(x[pos], 2) + 100 * half.size
endfunction
y = zeros[int](64, 6)
parallel_do([[64], [64]], 0..63, y, votes)
print y[0..9, :]
print y[38..45, :]
