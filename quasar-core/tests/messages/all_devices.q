% optimised: what one device has to do alone
function s : scalar = __kernel__ summed(x : vec, pos : int)
    s += x[pos]
endfunction
function [] = __kernel__ scattered(x : vec, y : vec, pos : int)
    y[int(x[pos])] = 1
endfunction
function [] = __kernel__ counted(x : vec, h : vec, pos : int)
    h[int(x[pos])] += 1
endfunction
function [] = __kernel__ neighbours(x : vec, pos : int)
    x[pos] = x[pos + 1]
endfunction
function [] = __kernel__ columns(x : mat, pos : ivec2)
    x[pos[1], pos[0]] = 1
endfunction
function [] = __kernel__ row_zero(x : mat, pos : ivec2)
    x[pos] = 1
    x[0, pos[1]] = 2
endfunction
function [] = __kernel__ waiting(x : vec, pos : int)
    x[pos] = 1
    syncthreads(multi_grid)
    x[pos] = 2
endfunction
function [] = __kernel__ grouped(x : vec, pos : int, this_multi_grid : thread_block)
    x[pos] = this_multi_grid.thread_idx
    this_multi_grid.sync()
endfunction
function y : scalar = __kernel__ last(x : vec, pos : int)
%        ^ Q0406 the kernel's result 'y' is not only accumulated
    y = x[pos]
endfunction
function [] = __device__ change(x : mat)
    x[0, 0] = 3
endfunction
function [] = __kernel__ passed(x : mat, pos : ivec2)
    change(x)
endfunction
function [] = __kernel__ divided(x : mat, y : mat, pos : ivec2)
    y[pos] = x[pos[1], pos[0]]
    y[pos[0], 0] += 1
endfunction
function [] = main()
    [x, m] = [zeros(4), zeros(4, 4)]
    s = multi_parallel_do(4, x, summed)
%       ^ Q0409 multi_parallel_do runs 'summed' on one GPU: it has results
    multi_parallel_do(4, x, ones(4), scattered)
%   ^ Q0409 multi_parallel_do runs 'scattered' on one GPU: 'y' is written, and used at other places than the row of the position
    multi_parallel_do(4, x, ones(4), counted)
%   ^ Q0409 multi_parallel_do runs 'counted' on one GPU: 'h' is written, and used at other places than the row of the position
    multi_parallel_do(3, x, neighbours)
%   ^ Q0409 multi_parallel_do runs 'neighbours' on one GPU: 'x' is written, and used at other places than the row of the position
    multi_parallel_do([4, 4], m, columns)
%   ^ Q0409 multi_parallel_do runs 'columns' on one GPU: 'x' is written, and used at other places than the row of the position
    multi_parallel_do([4, 4], m, row_zero)
%   ^ Q0409 multi_parallel_do runs 'row_zero' on one GPU: 'x' is written, and used at other places than the row of the position
    multi_parallel_do(4, x, waiting)
%   ^ Q0409 multi_parallel_do runs 'waiting' on one GPU: its blocks wait for each other
    multi_parallel_do(4, x, grouped)
%   ^ Q0409 multi_parallel_do runs 'grouped' on one GPU: its blocks wait for each other
    t = multi_parallel_do(4, x, last)
%       ^ Q0409 multi_parallel_do runs 'last' on one GPU: its positions are visited in order
    multi_parallel_do([4, 4], m, passed)
%   ^ Q0409 multi_parallel_do runs 'passed' on one GPU: 'x' is written, and used at other places than the row of the position
    multi_parallel_do([4, 4], copy(m), m, divided)
endfunction
