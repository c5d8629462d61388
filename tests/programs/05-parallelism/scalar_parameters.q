function [] = __kernel__ line(y : vec, a : scalar, b : int, pos : int)
    y[pos] = a*pos + b
endfunction
y = zeros(4)
parallel_do(4, y, 0.5, 10, line)
print y
