function y = f(a, b, c)
    y = 100*a + 10*b + c
endfunction
function [x, y] = swapped(a, b)
    x = b
    y = a
endfunction
print f(...[1,2,3]), " ", f(4, ...[5,6]), " ", f(...swapped(1,2), 3)
