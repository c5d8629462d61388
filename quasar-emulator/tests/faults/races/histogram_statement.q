% race h 3 3
function [] = __kernel__ count(x : ivec, h : ivec, pos : int)
    h[x[pos]] = h[x[pos]] + 1
endfunction
h = ivec(4)
parallel_do(16, mod(0..15, 4), h, count)
