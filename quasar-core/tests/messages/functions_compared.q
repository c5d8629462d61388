function [] = f(n : int)
    k = n + 1
    g = x -> x + k
    h = g
    print g == h
%         ^ Q0001 not supported yet: comparing functions that captured variables
    print type(g, "nosuch"), type(n, "[int|nothing]")
%                 ^ Q0201 unknown type 'nosuch'
%                                    ^ Q0201 unknown type 'nothing'
    z : cscalar'half = 1j
%               ^ Q0001 not supported yet: complex numbers of half precision
    w : string'half = "a"
%              ^ Q0302 'half changes the precision of scalar types, not of 'string'
    print z, w
endfunction
f(3)
