% optimised
function [] = __kernel__ k(x : vec'nocopy, y : vec'nocopy, pos : int)
%                          ^ Q0423 'x' is `'nocopy`, but the kernel never writes to it
    if pos > 1
        y[pos] = x[pos]
    endif
endfunction
function [] = main()
    parallel_do(4, ones(4), zeros(4), k)
endfunction
