function [] = __kernel__ k(x : vec, pos : int)
    x[pos] = 1
endfunction
function y = host_only(x : scalar)
    y = x
endfunction
function y : scalar = __device__ device(x : scalar)
    y = x
endfunction
function [] = main()
    x = zeros(4)
    k(x, 1)
%   ^ Q0401 kernel function 'k' cannot be called; launch it with parallel_do
    parallel_do(4, x, device)
%                     ^ Q0403 'device' is not a kernel function
    parallel_do(4, x, host_only)
%                     ^ Q0403 'host_only' is not a kernel function
    parallel_do(4, x, 3)
%                     ^ Q0403 the last argument of 'parallel_do' must be a kernel function, found 'int'
    parallel_do(4, k)
%   ^ Q0313 argument 'x' is missing in the call of k(x : vec, pos : int)
    parallel_do(4, x, x, k)
%                     ^ Q0313 too many arguments for k(x : vec, pos : int)
    parallel_do("a", x, k)
%               ^ Q0403 the dimensions of a launch are a number or a vec, found 'string'
    parallel_do(k)
%   ^ Q0403 'parallel_do' takes dimensions, arguments and a kernel
    parallel_do([[4],[2],[1]], x, k)
%               ^ Q0403 the dimensions of a launch are a number, a vec, or [dims, block]
endfunction
