function [s, p] = both(a, b)
    s = a + b
    p = a*b
endfunction
[x, y] = both(3, 4)
print x, " ", y
[u, _] = both(1, 2)
[_, w] = both(5, 6)
print u, " ", w
