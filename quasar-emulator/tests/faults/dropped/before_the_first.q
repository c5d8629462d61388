% dropped y 3
function [] = __kernel__ k(y : mat, pos : ivec2)
    y[pos[0] - 1, pos[1]] = 1
endfunction
parallel_do([3, 4], zeros(3, 4), k)
