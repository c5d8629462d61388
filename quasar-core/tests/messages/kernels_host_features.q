function [] = __kernel__ a(x : vec, pos : int)
    print x[pos]
%   ^ Q0404 print cannot be used in kernel function 'a'
endfunction
function [] = __kernel__ b(x : vec, pos : int)
    s = "text"
%       ^ Q0404 strings cannot be used in kernel function 'b'
    x[pos] = 1
endfunction
function [] = __kernel__ c(x : vec, pos : int)
    try
%   ^ Q0404 try cannot be used in kernel function 'c'
        x[pos] = 1
    catch ex
        x[pos] = 2
    endtry
endfunction
function [] = __kernel__ d(x : vec, pos : int)
    m = {1, "x"}
%           ^ Q0404 strings cannot be used in kernel function 'd'
    x[pos] = sprintf("%d", pos)
%                    ^ Q0404 strings cannot be used in kernel function 'd'
endfunction
function [] = __kernel__ e(x : vec, pos : int)
    x[pos] = numel(imread("a.png"))
%                         ^ Q0404 strings cannot be used in kernel function 'e'
endfunction
function [] = __kernel__ f(x : vec, pos : int)
    x[pos] = rand()
%            ^ Q0404 'rand' cannot be used in kernel function 'f'
endfunction
function [] = main()
    x = zeros(2)
    parallel_do(2, x, a)
    parallel_do(2, x, b)
    parallel_do(2, x, c)
    parallel_do(2, x, d)
    parallel_do(2, x, e)
    parallel_do(2, x, f)
endfunction
