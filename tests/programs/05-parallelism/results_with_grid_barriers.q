% single: truncates a quotient
% Kernels that wait for the whole grid have results as others: threads accumulate before and after the barrier.
function [s : scalar, n : int] = __kernel__ roundabout(x : vec'unchecked, y : vec'unchecked, pos : int)
    y[pos] = 2 * x[pos]
    s += x[pos]
    syncthreads(grid)
    s += y[999 - pos]
    n += y[999 - pos] > 1000
end

% With shared memory each block of threads is one of the launch.
function [m : scalar] = __kernel__ mixed(x : vec'unchecked, y : vec'unchecked, pos : int, blkpos : int, blkdim : int)
    t = shared(128)
    t[blkpos] = x[pos]
    syncthreads
    y[pos] = t[blkdim - 1 - blkpos]
    syncthreads(grid)
    m = max(m, y[511 - pos] + t[blkpos])
end

function [] = main()
    x = linspace(0, 999, 1000)
    y = zeros(1000)
    [s, n] = parallel_do(1000, x, y, roundabout)
    print s, " ", n
    print parallel_do([[512], [128]], x, y, mixed)
end
