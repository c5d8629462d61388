% compiled COMPILER_LOOP_PARALLELIZER=False
function [] = main(n : int = 4)
    y = zeros(n)
    for m = 0..n-1
%   ^ Q0405 automatic for-loop parallelization is turned off
        for k = 0..n-1
            y[m] += k
        endfor
    endfor
    {!parallel for}
    for m = 0..n-1
        y[m] = m
    endfor
endfunction
