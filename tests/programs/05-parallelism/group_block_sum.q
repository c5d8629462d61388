% The sum of a block: warps add up by shuffles, the first thread of each leaves its sum in shared memory, the block adds those.
function [] = __kernel__ sums(x : mat, total : vec, pos : ivec2, blkidx : ivec2, blkcnt : ivec2, this_thread_block : thread_block)
    s = shared(256)
    warp = this_thread_block.partition(32)
    value = x[pos]
    distance = int(warp.size / 2)
    while distance > 0
        value += warp.shfl_down(value, distance)
        distance = int(distance / 2)
    endwhile
    if warp.thread_idx == 0
        s[int(this_thread_block.thread_idx / warp.size)] = value
    endif
    this_thread_block.sync()
    if this_thread_block.thread_idx == 0
        all = 0.0
        for k = 0..int(this_thread_block.size / warp.size) - 1
            all += s[k]
        endfor
        total[blkidx[0] * blkcnt[1] + blkidx[1]] = all
    endif
endfunction
x = zeros(32, 48)
for m = 0..31
    for n = 0..47
        x[m, n] = mod(m * 3 + n * 5, 13)
    endfor
endfor
total = zeros(6)
parallel_do([[32, 48], [16, 16]], x, total, sums)
print total
print sum(total), " ", sum(x)
