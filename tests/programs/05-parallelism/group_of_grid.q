% Numbers of threads in their block and in the grid, and barriers by groups.
function [] = __kernel__ numbers(y : ivec, z : ivec, pos : ivec2, this_thread_block, this_grid : thread_block)
    k = this_grid.thread_idx
    y[k] = this_thread_block.thread_idx
    this_grid.sync()
    z[k] = y[this_grid.size - 1 - k] * 100 + this_thread_block.size
endfunction
[y, z] = [zeros[int](24), zeros[int](24)]
parallel_do([[4, 6], [2, 3]], y, z, numbers)
print y
print z
