function [a, b, c] = three(x)
    a = x
    b = 10*x
    c = 100*x
endfunction
print three(2), " ", three(1) + 1
[p, q, _] = three(3)
print p, q
