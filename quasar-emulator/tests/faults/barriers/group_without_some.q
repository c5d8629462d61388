% barrier 6
function [] = __kernel__ k(x : vec, y : vec, pos : int, this_thread_block)
    warp = this_thread_block.partition(32)
    y[pos] = 0
    if pos < 7
        y[pos] = warp.shfl_down(x[pos], 1)
    endif
endfunction
y = zeros(32)
parallel_do([[32], [32]], ones(32), y, k)
