function [] = __kernel__ shift(x : vec, y : vec, pos : int)
    y[pos + 1] = x[pos] + x[pos - 1]
endfunction
x = [1.0,2,3]
y = zeros(3)
parallel_do(3, x, y, shift)
print y
