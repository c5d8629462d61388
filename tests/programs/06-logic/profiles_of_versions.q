% A profile whose conditions depend on a parameter: versions of the kernel that know it have attributes of their own.
macro [] = profile(r)
    {!tuning_param name="$rows"; range=[16,32]; default=32; desc="threads for large radii"}
    if r > 2
        {!cuda_launch_bounds max_threads_per_block=$rows}
    else
        {!cuda_launch_bounds max_threads_per_block=16}
    endif
endmacro
function [] = __kernel__ blocks(y : vec, r : int, pos : int, blkdim : int)
    {!profile r}
    y[pos] = blkdim
endfunction
function [] = main()
    y = zeros(256)
    parallel_do(256, y, $specialize(blocks, r == 3))
    print y[0] <= 64
    parallel_do(256, y, $specialize(blocks, r == 1))
    print y[0] <= 16
endfunction
