function y = a(x : scalar)
    y = x + 1
endfunction
function y = b(x : scalar)
    y = 2*x
endfunction
function [] = main(n : int)
    f = n > 1 ? a : b
    print f, " ", f == a
%                 ^ Q0001 comparing functions that are chosen at run time
endfunction
