% optimised, with remarks
{!author name="somebody"}
{!doc category="examples"}
function [] = __kernel__ k(x : vec, pos : int)
    {!meta ref="a book"; desc="nothing"}
    {!kernel_transform enable="hwtexture"}
%                             ^ Q0418 the transform 'hwtexture' has no effect here: write `'hwtex_nearest` or `'hwtex_linear` at a parameter
    {!kernel_transform enable="simd"}
%                             ^ Q0501 Transform 'simd': rows of positions are computed with vector instructions.
    {!kernel_transform disable="branchcut"}
%                              ^ Q0418 the transform 'branchcut' is not switched off: branches that are never taken are dropped
    {!kernel_transform enable="constprop"}
%                             ^ Q0501 Transform 'constprop': constants are folded, also those that kernels are given.
    {!kernel_transform enable="magic"}
%                             ^ Q0502 no transform is called 'magic' transforms are autokernel,
    {!function_transform enable="imperfectloop"}
%                               ^ Q0418 the transform 'imperfectloop' has no effect here: it is about loops of host functions
    {!kernel_transform enable="localwindow"; disable="localwindow"}
    {!tuning_param name="$p"; range=[8,16]; default=9; desc="nothing"}
%                                                   ^ Q0417 the value of the tuning parameter '$p' is not in its range
%   ^ Q0501 The tuning parameter '$p' is 9.
    x[pos] = 1
endfunction
function [] = main()
    {!function_transform enable="cse"}
%                               ^ Q0501 Transform 'cse': the compilers of the generated code compute common expressions once.
    x = zeros(2)
    {!function_transform enable="localwindow"}
%                               ^ Q0418 write it first inside of the kernel or loop
    {!function_transform disable="autoparallel"}
    for i = 0..1
        x[i] = 1
    endfor
    for i = 0..1
%   ^ Q0501 Automatic parallelization of the 1-dim FOR loop.
        x[i] = 1
    endfor
    {!function_transform disable="autoparallel"}
    y = zeros(2)
    for i = 0..1
        y[i] = 1
    endfor
    for i = 0..1
        y[i] = 2
    endfor
    {!function_transform enable="autoparallel"}
    for i = 0..1
%   ^ Q0501 Automatic parallelization of the 1-dim FOR loop.
        y[i] = 3
    endfor
    for i = 0..1
        y[i] = 4
    endfor
    parallel_do(2, x, k)
endfunction
