function [] = __kernel__ blur(x : vec'mirror, y : vec, pos : int)
    y[pos] = x[pos-1] + x[pos] + x[pos+1]
endfunction
function [] = __kernel__ wrap(x : vec'circular, y : vec, pos : int)
    y[pos] = x[pos-1] + x[pos] + x[pos+1]
endfunction
x = [1.0,2,4]
y = zeros(3)
parallel_do(3, x, y, blur)
print y
parallel_do(3, x, y, wrap)
print y
