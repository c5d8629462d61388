function y : vec2 = __device__ rotated(p : vec2)
    y = [-p[1], p[0]]
endfunction
function [] = __kernel__ turn(x : mat, y : mat, pos : int)
    p = rotated([x[pos,0], x[pos,1]])
    y[pos,0..1] = 2*p
endfunction
x = [[1.0,2],[3,4]]
y = zeros(2,2)
parallel_do(2, x, y, turn)
print y
