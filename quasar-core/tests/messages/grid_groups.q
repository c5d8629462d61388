function [] = __kernel__ open(x : vec, pos : int)
    {!begin_grid_group}
%   ^ Q0208 `{!begin_grid_group}` and `{!end_grid_group}` stand in pairs
    if x[pos] > 0
        {!end_grid_group}
%       ^ Q0208 stand in pairs
        x[pos] = 0
    endif
endfunction
function [] = main()
    x = zeros(8)
    parallel_do(8, x, open)
endfunction
