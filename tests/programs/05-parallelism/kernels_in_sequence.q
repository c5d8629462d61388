function [] = __kernel__ add(x : vec, y : vec, pos : int)
    y[pos] = x[pos] + 1
endfunction
a = zeros(3)
b = zeros(3)
for step = 1..3
    parallel_do(3, a, b, add)
    [a, b] = [b, a]
endfor
print a, b
