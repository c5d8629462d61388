function [a, b, c] = three()
    a = 1
    b = 2
    c = 3
endfunction
function c = mixed()
    c = {1, "x", 3}
endfunction
function [] = main()
    three()
%   ^ Q0318 Function 'three' returns 3 values that are ignored here. Please eliminate the return values in the function signature (when possible) or use the placeholder '[_,_,_]=three(.)' to explicitly capture the unused return values.
    [p, q] = three()
%   ^ Q0319 1 of 3 values are not used; write '_' for them
    [r] = three()
%   ^ Q0319 2 of 3 values are not used; write '_' for them
    [s, t, u, v] = three()
%   ^ Q0319 3 values for 4 targets
    [w] = {1, 2}
%   ^ Q0319 2 values for 1 targets
    [x, y] = mixed()
%   ^ Q0319 3 values for 2 targets
    [z, _] = [1, 2, 3]
%   ^ Q0319 3 values for 2 targets
    print p, q, r, s, t, u, v, w, x, y, z
endfunction
