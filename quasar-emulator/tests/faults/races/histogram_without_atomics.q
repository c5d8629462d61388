% race h 5 6
function [] = __kernel__ count(x : ivec, h : ivec, pos : int)
    % read and write are two steps
    n = x[pos]
    old = h[n]
    h[n] = old + 1
endfunction
h = ivec(4)
parallel_do(16, mod(0..15, 4), h, count)
