% Kernels that launch kernels: each thread visits the positions.
function [] = __kernel__ scale(x : mat, row : int, f : scalar, pos : int)
    x[row,pos] = f*x[row,pos]
endfunction

function total = __kernel__ row_sum(x : mat, row : int, pos : int)
    total += x[row,pos]
endfunction

function [] = __kernel__ plane(y : cube, k : int, pos : ivec2)
    y[pos[0],pos[1],k] = 100*k + 10*pos[0] + pos[1]
endfunction

function [] = __kernel__ less_mean(x : mat, means : vec, pos : int)
    mean_value = parallel_do(size(x,1), x, pos, row_sum) / size(x,1)
    means[pos] = mean_value
    parallel_do(size(x,1), x, pos, 2.0, scale)
    if mean_value > 4
        serial_do(2, x, pos, -1.0, scale)
    endif
endfunction

function [] = __kernel__ planes(y : cube, pos : int)
    parallel_do(size(y,0..1), y, pos, plane)
endfunction

x = zeros(4,5)
for i=0..3
    for j=0..4
        x[i,j] = i*j
    endfor
endfor
m = zeros(4)
parallel_do(4, x, m, less_mean)
print m
print x
y = zeros(2,3,4)
parallel_do(4, y, planes)
print y[1,2,:], sum(y)
