function [] = __kernel__ k(x : vec, pos : int)
    {!kernel target="cpu"; memorymodel="separate"}
%                                      ^ Q0502 the attribute 'memorymodel' has no effect yet
    {!tuning_param name="$p"}
%   ^ Q0502 a tuning parameter needs a name in quotes and a default value
    {!kernel_transform somehow="localwindow"}
%                              ^ Q0502 the attribute 'somehow' has no effect yet
    x[pos] = 1
endfunction
function [] = main()
    {!auto_specialize}
%   ^ Q0623 'main' stays one version: no call gives an `int` or `scalar` parameter a constant
    x = zeros(2)
    {!begin_grid_group}
%   ^ Q0502 the attribute 'begin_grid_group' has no effect yet
    {!end_grid_group}
%   ^ Q0502 the attribute 'end_grid_group' has no effect yet
    !timed x
%   ^ Q0502 the attribute 'timed' has no effect yet
    parallel_do(2, x, k)
endfunction
