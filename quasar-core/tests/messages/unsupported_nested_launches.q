% compiled
function [] = __kernel__ inner(x : vec, pos : int)
    x[pos] = 1
endfunction
function [] = __kernel__ k(x : vec, pos : int)
    parallel_do(2, x, inner)
%   ^ Q0001 not supported yet: a launch inside a kernel
endfunction
function [] = main()
    x = zeros(2)
    parallel_do(2, x, k)
endfunction
