% race x 5 9
function [] = __kernel__ mirrored(x : vec, y : vec, n : int, pos : int)
    {!kernel_tiling mode="global"; dims=[4]}
    {!begin_grid_group}
    x[pos] = pos
    {!end_grid_group}
    % The end of a region waits for nobody.
    {!begin_grid_group}
    y[pos] = x[n-1-pos]
    {!end_grid_group}
endfunction
n = 12
parallel_do(n, zeros(n), zeros(n), n, mirrored)
