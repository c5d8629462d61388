function y = f(a, a)
%                 ^ Q0156 there are two parameters with the name `a`
    y = a
endfunction
print f(1, 2)
