% race n 3 4
function [] = __kernel__ count(n : ivec, y : ivec, pos : int)
    n[0] += 1
    y[pos] = n[0]
endfunction
n = ivec(1)
y = ivec(8)
parallel_do(8, n, y, count)
