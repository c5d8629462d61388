function [] = __kernel__ invert(x : cube(:,:,3), y : cube(:,:,3), pos : ivec2)
    c : vec3 = x[...pos, 0..2]
    y[...pos, 0..2] = [255.0,255,255] - c
endfunction
x = zeros(1,2,3)
x[0,1,:] = [1,2,3]
y = zeros(1,2,3)
parallel_do([1,2], x, y, invert)
print y[0,0,:], y[0,1,:]
