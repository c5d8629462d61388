% optimised
function [] = __kernel__ blocks(x : vec, pos : int, blkidx : int)
    {!kernel_tiling mode="global"; dims="auto"}
%   ^ Q0413 tiling has no effect on 'blocks': it depends on the blocks of its threads
    x[pos] = blkidx
endfunction
function [] = __kernel__ untiled(x : vec, pos : int)
    {!kernel_tiling mode="local"}
%   ^ Q0413 a local tiling needs the extents of a tile in `dims`
    x[pos] = 1
endfunction
function [] = __kernel__ dims(x : vec, pos : int)
    {!kernel_tiling mode="global"; dims=[2,2]; mode="diagonal"}
%   ^ Q0413 `dims` must have a number for each dimension of the position
%                                                   ^ Q0502 'mode' of the attribute 'kernel_tiling' takes `"global"` or `"local"`
    {!kernel_partial_flattening dim=2}
%   ^ Q0413 the positions of 'dims' have 1 dimensions
    x[pos] = 1
endfunction
function [] = __kernel__ ordered(x : vec, pos : int)
    {!begin_grid_group}
%   ^ Q0413 tiling has no effect on 'ordered': `serial_do` visits the positions in order
    x[pos] = x[pos-1] + 1
    {!end_grid_group}
endfunction
function [] = main()
    x = zeros(8)
    parallel_do(8, x, blocks)
    parallel_do(8, x, untiled)
    parallel_do(8, x, dims)
    serial_do(8, x, ordered)
endfunction
