function [] = __kernel__ square(x : vec, y : vec, pos : int)
    y[pos] = x[pos]*x[pos]
endfunction
x = float(0..9)
y = zeros(10)
parallel_do(10, x, y, square)
print y
