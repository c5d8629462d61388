function [] = __kernel__ mark(y : vec, pos : int)
    y[0] = 1
endfunction
y = zeros(1)
parallel_do(0, y, mark)
parallel_do(-3, y, mark)
print y
parallel_do(1, y, mark)
print y
