function [] = __kernel__ index(y : mat, pos : ivec2)
    y[pos] = 10*pos[0] + pos[1]
endfunction
y = zeros(2,3)
parallel_do(size(y), y, index)
print y
