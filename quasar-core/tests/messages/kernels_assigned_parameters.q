function [] = __kernel__ swap(x : mat, y : mat, pos : ivec2)
    [x, y] = {y, x}
%   ^ Q0001 two names for the fixed-size vector 'y' in device code, one of which is changed
%   ^ Q0001 two names for the fixed-size vector 'x' in device code, one of which is changed
    y[pos] = x[pos]
endfunction
function [] = __kernel__ branch(x : mat, y : mat, pos : ivec2)
    if y[pos] > 0
        y = zeros(2, 2)
%       ^ Q0001 two names for the fixed-size vector 'y' in device code, one of which is changed
    endif
    y[pos] = x[pos]
endfunction
function [] = main()
    A = ones(2, 2)
    B = zeros(2, 2)
    parallel_do(size(A), A, B, swap)
    parallel_do(size(A), A, B, branch)
endfunction
