function x = next(x)
    x = x + 1
endfunction
function [v, n] = cleared(v, n)
    v[0] = 0
    n = n + 1
endfunction
print next(4)
a = [5,6]
[b, k] = cleared(a, 1)
print a, b, k
