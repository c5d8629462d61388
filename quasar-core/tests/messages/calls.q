function [a, b] = two(x)
    a = x
    b = x + 1
endfunction

function y = host(x : scalar)
    y = x
endfunction

function y = missing(x : int)
%        ^ Q0203 output 'y' of 'missing' is not assigned
    z = x
endfunction

function [] = __kernel__ k(x : vec, pos : int)
    x[pos] = host(1.0)
%            ^ Q0401 cannot call the host function 'host'
endfunction

function [] = main()
    two(1)
%   ^ Q0318 Function 'two' returns 2 values that are ignored here
    host("text")
%        ^ Q0324 must be 'scalar', found 'string'
    host(1, 2)
%           ^ Q0313 too many arguments
    k([1.0])
%   ^ Q0401 cannot be called; launch it with parallel_do
    x = zeros(4)
    parallel_do(size(x), x, k)
    c = {1, "x"}
    parallel_do(4, c, k)
%                  ^ Q0324 must be 'vec'
endfunction
