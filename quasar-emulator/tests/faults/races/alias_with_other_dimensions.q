% race y 3
function [] = __kernel__ below(x : mat, y : mat, pos : ivec2)
    y[pos[0], pos[1]] = x[pos[1], pos[0]] + 1
endfunction
a = zeros(3,2)
b = reshape(a, 2, 3)
parallel_do([2,3], a, b, below)
