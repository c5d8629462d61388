% Parameters whose old content does not matter, and those that are read without tests.
function [] = __kernel__ fill(y : vec'nocopy, x : vec'unchecked, pos : int)
    y[pos] = 2 * x[pos]
endfunction
y = ones(4)
parallel_do(4, y, [1.0, 2, 3, 4], fill)
print y
z : 'unchecked = y
z[1] = -1
print y[1], " ", z[3]
