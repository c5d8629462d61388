function [] = __kernel__ one(x : vec, pos : int)
    x[pos] = 1
endfunction
function [] = __kernel__ integers(x : vec[int], pos : int)
    x[pos] = 1
endfunction
function [s : scalar] = __kernel__ gives(x : vec, pos : int)
    s += x[pos]
endfunction
function [] = __kernel__ nests(x : vec, pos : int)
    schedule(2, x, {one})
%   ^ Q0001 not supported yet: 'schedule' in kernels and device functions
endfunction
function y = plain(x)
    y = x
endfunction
function [] = main()
    x = zeros(2)
    schedule(2, x, {one, gives})
%                        ^ Q0403 versions of one: they give the same results
    schedule(2, x, {one, integers})
%               ^ Q0314 implicit conversion from 'vec(2)' to 'ivec'
%                        ^ Q0403 versions of one: they take the same types
    schedule(2, x, {one, plain})
%                        ^ Q0403 'plain' is not a kernel function
    schedule(2)
%   ^ Q0403 'schedule' takes dimensions, arguments and a cell of kernels
    schedule(2, x, {})
%                  ^ Q0403 at least one kernel
    parallel_do(2, x, nests)
    y = 3
    both = {__kernel__ (x : vec, pos : int) -> x[pos] = y, one}
    schedule(2, x, both)
%                  ^ Q0001 kernels that capture variables and are not written in the call
endfunction
