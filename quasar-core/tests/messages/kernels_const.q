function [] = __kernel__ k(x : vec'const, y : vec'hwconst, z : vec'hwtex_const, pos : int)
    x[pos] = 1
%   ^ Q0204 'x' is declared 'const and cannot be assigned
    y[pos] = 2
%   ^ Q0204 'y' is declared 'const and cannot be assigned
    z[pos] += 3
%   ^ Q0204 'z' is declared 'const and cannot be assigned
endfunction
function [] = main()
    x = zeros(2)
    parallel_do(2, x, x, x, k)
endfunction
