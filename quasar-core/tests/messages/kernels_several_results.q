function [] = __kernel__ k(x : vec, pos : int)
    [y, at] = hist([30.0, 10, 20])
%             ^ Q0313 'hist' takes 2 or more arguments, found 1
    [y, at] = hist([30.0, 10, 20], 2)
%             ^ Q0404 'hist' cannot be used in kernel function 'k'
    x[pos] = y[0]
endfunction
function [] = __kernel__ lengths(y : mat, pos : ivec2, blkidx : ivec3)
%                                                      ^ Q0403 'blkidx' is 'ivec(3)', but a position of 'lengths' has 2 components
    y[pos] = blkidx[0]
endfunction
function [] = __kernel__ mixed(x : vec, pos : int)
    v = [9.0, 2, 3]
%   ^ Q0402 the type of 'v' is known at run time only: it has different types in the iterations of a loop
    d = 1
    while d < 8
        v = x[pos]
        d *= 2
    endwhile
endfunction
parallel_do(3, zeros(3), k)
parallel_do([2, 2], zeros(2, 2), lengths)
parallel_do(3, zeros(3), mixed)
