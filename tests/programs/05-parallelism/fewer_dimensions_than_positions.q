function [] = __kernel__ mark(y : mat, pos : ivec3)
    y[pos[0],pos[1]] = 1 + pos[2]
endfunction
y = zeros(2,2)
parallel_do([2,2], y, mark)
print y
