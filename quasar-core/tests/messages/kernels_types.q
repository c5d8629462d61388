function [] = __kernel__ dynamic(x, y : vec, pos : int)
    y[pos] = x[0]
endfunction
function [] = __kernel__ text(x : string, y : vec, pos : int)
    y[pos] = 1
endfunction
function y : scalar = __device__ f(x)
    y = x
endfunction
function [] = main()
    y = zeros(2)
    parallel_do(2, {1, "x"}, y, dynamic)
%                  ^ Q0402 argument 'x' of kernel 'dynamic' has the type 'vec[{int,string}]': strings are available in host code only
    parallel_do(2, "x", y, text)
%                  ^ Q0402 argument 'x' of kernel 'text' has the type 'string': strings are available in host code only
endfunction
