function [] = __kernel__ number(y : vec, pos : int)
    y[pos] = pos
endfunction
y = zeros(6)
parallel_do([2,3], y, number)
print y
