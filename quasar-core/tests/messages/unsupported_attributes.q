function [] = __kernel__ k(x : vec, pos : int)
    {!kernel_transform enable="hwtexture"}
%                             ^ Q0502 the attribute 'enable' has no effect yet
    {!kernel target="cpu"; memorymodel="separate"}
%                                      ^ Q0502 the attribute 'memorymodel' has no effect yet
    {!tuning_param name="$p"}
%   ^ Q0502 a tuning parameter needs a name in quotes and a default value
    x[pos] = 1
endfunction
function [] = main()
    {!function_transform enable="cse"}
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
