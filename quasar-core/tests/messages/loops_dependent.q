% optimised
function [] = main()
    x = ones(8)
    a = 1.0
    for k = 1..7
%   ^ Q0402 Warnings during parallelization of the 1-dim FOR loop.
        x[k] = x[k-1] + 1
    endfor
    for k = 0..7
%   ^ Q0402 Warnings during parallelization of the 1-dim FOR loop.
        a *= 0.5
        x[k] = a
    endfor
    print x
endfunction
