formula = "1"
formula = formula + "2"
function y = __device__ computed(x)
    y = x + eval(formula)
%           ^ Q0404 'eval' of a text that is not known at compile time cannot be used in device function 'computed'
endfunction
function [] = __kernel__ fill(x : vec, pos : int)
    x[pos] = eval(formula)
%            ^ Q0404 'eval' of a text that is not known at compile time cannot be used in kernel function 'fill'
endfunction
function [] = __kernel__ with_function(x : vec, f, pos : int)
    x[pos] = f(pos)
endfunction
function [] = main(s : string)
    x = zeros(3)
    parallel_do(3, x, fill)
    f : [__device__ scalar -> scalar] = eval(s)
    parallel_do(3, x, f, with_function)
%                     ^ Q0402 argument 'f' of kernel 'with_function' has the type '[__device__ scalar->scalar]': the function it holds is known at run time only
    print computed(1)
endfunction
