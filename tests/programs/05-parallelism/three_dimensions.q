function [] = __kernel__ fill(y : cube, pos : ivec3)
    y[pos] = 100*pos[0] + 10*pos[1] + pos[2]
endfunction
y = zeros(2,2,3)
parallel_do(size(y), y, fill)
print y[1,:,:], y[0,1,:]
