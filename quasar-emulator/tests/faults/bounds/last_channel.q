% bounds c 3
function [] = __kernel__ k(c : cube'unchecked, y : mat, pos : ivec2)
    y[pos] = c[pos[0], pos[1], 3]
endfunction
parallel_do([4, 4], zeros(4, 4, 3), zeros(4, 4), k)
