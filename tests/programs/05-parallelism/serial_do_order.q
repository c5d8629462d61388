function [] = __kernel__ order(y : ivec, c : ivec, pos : ivec2)
    y[2*pos[0] + pos[1]] = c[0]
    c[0] += 1
endfunction
y = vec[int](6)
c = vec[int](1)
serial_do([3,2], y, c, order)
print y
