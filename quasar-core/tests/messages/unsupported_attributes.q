function [] = __kernel__ k(x : vec, pos : int)
    {!kernel target="cpu"; memorymodel="separate"}
%                                      ^ Q0502 'memorymodel' of the attribute 'kernel' takes `"concurrent"` or `"cooperative"`
    {!tuning_param name="$p"}
%   ^ Q0502 a tuning parameter needs a name in quotes and a default value
    {!kernel_transform somehow="localwindow"}
%                              ^ Q0502 the attribute 'kernel_transform' has no argument 'somehow' it has enable, disable
    x[pos] = 1
endfunction
function [] = main()
    {!auto_specialize}
%   ^ Q0623 'main' stays one version: no call gives an `int` or `scalar` parameter a constant
    x = zeros(2)
    {!begin_grid_group}
%   ^ Q0502 the attribute 'begin_grid_group' has no effect here it stands in kernels
    {!end_grid_group}
%   ^ Q0502 the attribute 'end_grid_group' has no effect here it stands in kernels
    !timed x
%   ^ Q0502 there is no attribute 'timed' it is ignored: the program means the same without it
    {!paralel for}
%   ^ Q0502 there is no attribute 'paralel' did you mean 'parallel'?
    {!unroll tims=2}
%                 ^ Q0502 the attribute 'unroll' has no argument 'tims' did you mean 'times'?
    #pragma loop_parallelizer(perhaps)
%           ^ Q0502 there is no pragma 'loop_parallelizer' with these arguments pragmas are `force_parallel`
    parallel_do(2, x, k)
endfunction
