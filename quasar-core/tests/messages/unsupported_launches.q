function [] = __kernel__ k(x : vec, pos : int)
    x[pos] = 1
endfunction
function [] = main()
    x = zeros(2)
    schedule(2, x, {k, k})
%   ^ Q0001 not supported yet: 'schedule'
endfunction
