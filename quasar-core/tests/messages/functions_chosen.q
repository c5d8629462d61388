function y = a(x : scalar)
    y = x + 1
endfunction
function y = b(x : scalar)
    y = 2*x
endfunction
function [y, z] = two(x : scalar)
    y = x
    z = x
endfunction
function [] = main(n : int)
    g = n > 1 ? a : two
    print g(1)
%         ^ Q0311 the functions that may be called here give different numbers of results
    v = vec[[scalar -> scalar]](3)
%       ^ Q0001 arrays whose elements are functions
    h : [scalar -> scalar] = n > 1 ? a : (x -> "text")
%                                              ^ Q0310 expected 'scalar', found 'string'
endfunction
