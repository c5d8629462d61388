function y = h(x : int, y : scalar)
    y = 1
endfunction
function y = h(x : scalar, y : int)
    y = 2
endfunction
function y = k(x : string)
    y = 1
endfunction
function y = k(x : mat)
    y = 2
endfunction
function [] = main()
    print h(1, 1)
%         ^ Q0205 the call of 'h' is ambiguous: h(x : int, y : scalar) and h(x : scalar, y : int) fit equally well
    print k(2)
%         ^ Q0324 no function 'k' takes (int)
endfunction
