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
function [] = __kernel__ counted_and_read(x : vec, h : vec, pos : int)
    h[int(x[pos])] += h[0]
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
    multi_parallel_do(4, x, ones(4), scattered)
%   ^ Q0409 one GPU runs 'scattered' alone: 'y' is written, and used at other places than the row of the position
    multi_parallel_do(4, x, ones(4), counted)
    multi_parallel_do(4, x, ones(4), counted_and_read)
%   ^ Q0409 one GPU runs 'counted_and_read' alone: 'h' is written, and used at other places than the row of the position
    multi_parallel_do(3, x, neighbours)
%   ^ Q0409 one GPU runs 'neighbours' alone: 'x' is written, and used at other places than the row of the position
    multi_parallel_do([4, 4], m, columns)
%   ^ Q0409 one GPU runs 'columns' alone: 'x' is written, and used at other places than the row of the position
    multi_parallel_do([4, 4], m, row_zero)
%   ^ Q0409 one GPU runs 'row_zero' alone: 'x' is written, and used at other places than the row of the position
    multi_parallel_do(4, x, waiting)
%   ^ Q0409 one GPU runs 'waiting' alone: its blocks wait for each other
    multi_parallel_do(4, x, grouped)
%   ^ Q0409 one GPU runs 'grouped' alone: its blocks wait for each other
    t = multi_parallel_do(4, x, last)
%       ^ Q0409 one GPU runs 'last' alone: its positions are visited in order
    multi_parallel_do([4, 4], m, passed)
%   ^ Q0409 one GPU runs 'passed' alone: 'x' is written, and used at other places than the row of the position
    multi_parallel_do([4, 4], copy(m), m, divided)
endfunction
