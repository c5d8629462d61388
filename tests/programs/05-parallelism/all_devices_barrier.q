% What GPUs cannot share runs on one of them, with the same result: barriers over all of them, results, and places that data
% chooses.
function [] = __kernel__ blurred(x : mat, t : mat, y : mat, pos : ivec2)
    t[pos] = x[pos[0], pos[1] - 1] + x[pos] + x[pos[0], pos[1] + 1]
    syncthreads(multi_grid)
    y[pos] = t[pos[0] - 1, pos[1]] + t[pos] + t[pos[0] + 1, pos[1]]
endfunction
function [] = __kernel__ turned(x : vec, y : vec, pos : int, this_multi_grid : thread_block)
    y[pos] = 2 * x[pos]
    this_multi_grid.sync()
    x[pos] = y[numel(y) - 1 - pos]
endfunction
function [s : scalar, most : scalar] = __kernel__ summed(x : mat, pos : ivec2)
    s += x[pos]
    most = max(most, x[pos])
endfunction
function [] = __kernel__ counted(x : mat, h : vec, pos : ivec2)
    h[mod(int(x[pos]), 3)] += 1
endfunction
function [] = main()
    x = zeros(5, 4)
    for m = 0..4
        for n = 0..3
            x[m, n] = 4 * m + n
        endfor
    endfor
    [t, y] = [zeros(5, 4), zeros(5, 4)]
    multi_parallel_do(size(x), x, t, y, blurred)
    for m = 0..4
        print y[m, :]
    endfor
    v = [1.0, 2.0, 3.0, 4.0, 5.0]
    multi_parallel_do(5, v, zeros(5), turned)
    print v
    [s, most] = multi_parallel_do(size(x), x, summed)
    print s, " ", most
    h = zeros(3)
    multi_parallel_do(size(x), x, h, counted)
    print h
endfunction
