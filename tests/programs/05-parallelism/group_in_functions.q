% Groups of threads as arguments of device functions and in variables.
function total = __device__ sum_over(group : thread_block, value)
    total = value
    distance = int(group.size / 2)
    while distance > 0
        total += group.shfl_down(total, distance)
        distance = int(distance / 2)
    endwhile
endfunction

% Declared and undeclared parameters; a function that calls another with its group.
function total : scalar = __device__ twice(g, value : scalar)
    total = 2*sum_over(g, value)
endfunction

% Waits for the block, which several functions do.
function [] = __device__ fill(block : thread_block, s : vec'unchecked, value : scalar)
    s[block.thread_idx] = value
    block.sync()
endfunction

function y : scalar = __device__ mirrored(block : thread_block, s : vec'unchecked, value : scalar)
    fill(block, s, value)
    y = s[block.size - 1 - block.thread_idx]
endfunction

place = __device__ (group) -> group.thread_idx*100 + group.size
function [] = __kernel__ sums(x : vec, y : vec, z : vec, pos : int, blkidx : int, this_thread_block : thread_block)
    warp = this_thread_block.partition(32)
    tile = warp.partition(4)
    s = shared(64)
    part = sum_over(warp, x[pos])
    if warp.thread_idx == 0
        z[0] += part
    endif
    part = twice(tile, x[pos])
    if tile.thread_idx == 0
        z[1] += part
    endif
    y[pos] = mirrored(this_thread_block, s, x[pos])
    block = this_thread_block
    y[pos] = y[pos] + 1000*place(block)
endfunction

x = float(0..63)
[y, z] = [zeros(64), zeros(2)]
parallel_do([[64],[32]], x, y, z, sums)
print z, " ", sum(x), " ", 2*sum(x)
print y[0..3], " ", y[60..63]

% The grid as an argument, in a kernel of two dimensions.
function k : int = __device__ number(grid : thread_block)
    grid.sync()
    k = grid.thread_idx*100 + grid.size
endfunction
function [] = __kernel__ numbers(y : ivec, pos : ivec2, this_grid)
    y[pos[0]*6 + pos[1]] = number(this_grid)
endfunction
y = zeros[int](24)
parallel_do([[4,6],[2,3]], y, numbers)
print sum(y), " ", y[0], " ", y[23]
