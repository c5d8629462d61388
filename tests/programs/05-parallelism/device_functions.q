function y : scalar = __device__ poly(x : scalar)
    y = 1 + x*(2 + 3*x)
endfunction
function [] = __kernel__ eval_poly(x : vec, y : vec, pos : int)
    y[pos] = poly(x[pos])
endfunction
x = [0.0,1,2]
y = zeros(3)
parallel_do(3, x, y, eval_poly)
print y, poly(3.0)
