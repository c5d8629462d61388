% race t 4 7
function [] = __kernel__ spread(t : vec, y : vec, pos : int)
    % the barrier holds for a block, the neighbour may be in another
    t[pos] = 2 * pos
    syncthreads
    next = mod(pos + 1, 8)
    y[pos] = t[next]
endfunction
t = zeros(8)
y = zeros(8)
parallel_do([[8], [4]], t, y, spread)
