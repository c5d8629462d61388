% The pragma of the program's own file decides what `scalar` is, also before it is reached.
third = 1/3
print third, " ", 0.1 + 0.2, " ", eps < 1e-15
#pragma precision(double)
x : vec = [1e-300, 1e300]
print x, " ", type(x), " ", sum(1 ./ (1..1000))
function [] = __kernel__ halved(x : vec, y : vec, pos : int)
    y[pos] = x[pos]/3
endfunction
y = zeros(2)
parallel_do(2, x, y, halved)
print y, " ", pi
s : scalar'single = 1/3
print s
