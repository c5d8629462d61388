function [] = __kernel__ k(x : vec, a : scalar = 1, pos : int)
%                                   ^ Q0403 kernel functions have no optional or variadic parameters
    x[pos] = a
endfunction
function [] = __kernel__ v(x : vec, pos : int, ...rest)
%                                                 ^ Q0403 kernel functions have no optional or variadic parameters
    x[pos] = 1
endfunction
function [] = main()
    x = zeros(2)
    parallel_do(2, x, k)
    parallel_do(2, x, 1, v)
endfunction
