base = 10
function y = f(x, step = base*2, far = x + step)
    y = far
endfunction
print f(1), " ", f(1, 5), " ", f(1, 5, 0)
