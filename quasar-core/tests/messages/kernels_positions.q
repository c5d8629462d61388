function [] = __kernel__ k(x : mat, pos : string)
%                                   ^ Q0403 'pos' is a number or a vec, not 'string'
    x[pos] = 1
endfunction
function [] = __kernel__ n(x : vec)
    x[0] = 1
endfunction
function [] = main()
    x = zeros(2,2)
    parallel_do(size(x), x, k)
    parallel_do(zeros(20), zeros(2), n)
%   ^ Q0403 a launch has between 1 and 16 dimensions
    [a, b] = parallel_do(2, zeros(2), n)
%   ^ Q0319 0 values for 2 targets
    serial_do(2, x)
%                ^ Q0403 the last argument of 'serial_do' must be a kernel function, found 'mat(2,2)'
endfunction
