% The group of all GPUs: ranks and the size are those of the whole launch, whichever GPU a thread is on.
function [] = __kernel__ ranks(y : mat, sizes : mat, pos : ivec2, this_multi_grid : thread_block)
    y[pos] = this_multi_grid.thread_idx
    sizes[pos] = this_multi_grid.size
endfunction
% Those of a block as well.
function [] = __kernel__ sums(x : vec, y : vec, pos : int, this_multi_grid, this_thread_block, blkidx : int, blkcnt : int)
    s = shared(4)
    s[this_thread_block.thread_idx] = x[pos]
    this_thread_block.sync()
    sum = 0.0
    for k = 0..3
        sum += s[k]
    endfor
    y[pos] = sum * 10000 + blkidx * 1000 + blkcnt * 100 + this_multi_grid.thread_idx
endfunction
function [] = main()
    y = zeros(4, 6)
    sizes = zeros(4, 6)
    multi_parallel_do([[4, 6], [2, 3]], y, sizes, ranks)
    for m = 0..3
        print y[m, :]
    endfor
    print min(sizes), " ", max(sizes)
    x = zeros(10)
    for k = 0..9
        x[k] = k + 1
    endfor
    z = zeros(10)
    multi_parallel_do([[10], [4]], x, z, sums)
    print z
endfunction
