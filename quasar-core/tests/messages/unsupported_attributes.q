function [] = __kernel__ k(x : vec, pos : int)
    {!kernel_transform enable="localwindow"}
%   ^ Q0502 the attribute 'kernel_transform' has no effect yet
    {!cuda_launch_bounds max_threads_per_block=256}
%   ^ Q0502 the attribute 'cuda_launch_bounds' has no effect yet
    {!kernel target="gpu"}
%   ^ Q0502 the attribute 'kernel' has no effect yet
    x[pos] = 1
endfunction
function [] = main()
    {!function_transform enable="imperfectloop"}
%   ^ Q0502 the attribute 'function_transform' has no effect yet
    {!auto_specialize}
    x = zeros(2)
    {!unroll times=2}
    for i = 0..1
        x[i] = 1
    endfor
    {!begin_grid_group}
%   ^ Q0502 the attribute 'begin_grid_group' has no effect yet
    {!end_grid_group}
%   ^ Q0502 the attribute 'end_grid_group' has no effect yet
    !timed x
%   ^ Q0502 the attribute 'timed' has no effect yet
    parallel_do(2, x, k)
endfunction
