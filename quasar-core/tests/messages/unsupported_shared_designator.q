% compiled
function [] = __kernel__ k(x : vec, pos : int)
    S : 'shared = x[0..3]
%                 ^ Q0001 not supported yet: a value for an array that is declared 'shared
    x[pos] = S[0]
endfunction
function [] = main()
    x = zeros(4)
    parallel_do(4, x, k)
endfunction
