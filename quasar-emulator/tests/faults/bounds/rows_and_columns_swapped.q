% bounds m 3
function [] = __kernel__ k(m : mat'unchecked, y : mat, pos : ivec2)
    y[pos] = m[pos[1], pos[0]]
endfunction
parallel_do([4, 6], zeros(4, 6), zeros(4, 6), k)
