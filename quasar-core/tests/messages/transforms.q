% optimised
function [] = __kernel__ anywhere(x : vec, y : vec, pos : int)
    {!kernel_transform enable="localwindow"}
%   ^ Q0414 the transform 'localwindow' has no effect: no array is only read at bounded distances from the position
    {!kernel_transform enable="branchdivergencereducer"}
%   ^ Q0414 no branch only stores to elements of the position
    {!function_transform enable="sharedmempromotion"}
%   ^ Q0414 no array of known size is read by all threads, or only added to
    {!kernel_transform enable="sharedmemcaching"}
%   ^ Q0414 no `kernel_arg` with `access="shared"` says which arrays
    y[pos] = x[int(x[pos])]
endfunction
function [] = __kernel__ wide(x : mat, y : mat, pos : ivec2)
    {!kernel_transform enable="localwindow"}
%   ^ Q0414 the window of 'x' exceeds shared memory
    y[pos] = x[pos[0]-100,pos[1]] + x[pos[0]+100,pos[1]+200]
endfunction
function [] = __kernel__ both(x : vec, y : vec, pos : int)
    {!kernel_transform enable="sharedmemcaching"}
%   ^ Q0414 the kernel does something else with 'y' than add to its elements
    {!kernel_arg name=y; type="inout"; access="shared"; op="+="}
    y[0] += x[pos]
    y[1] = 2
endfunction
function [] = __kernel__ bounded(y : vec, pos : int, blkidx : int)
    {!cuda_launch_bounds max_threads_per_block=64}
    y[pos] = blkidx
endfunction
function [] = main()
    x = zeros(8)
    y = zeros(8)
    m = zeros(8,8)
    parallel_do(8, x, y, anywhere)
    parallel_do(size(m), m, zeros(8,8), wide)
    parallel_do(8, x, y, both)
    parallel_do([[512],[128]], zeros(512), bounded)
%   ^ Q0415 the block has more threads than the 64 that `cuda_launch_bounds` allows
    {!function_transform enable="imperfectloop"}
%   ^ Q0414 the transform 'imperfectloop' has no effect: no direction was found
    for i=1..7
%   ^ Q0402 Line 43 - 'm': possible data dependency detected for variable! (type 'mat(8,8)'). Switching to serialization.
        for j=1..6
            m[i,j] = m[j,i] + m[i-1,j+1] + m[i-1,j-1]
        endfor
    endfor
    print m, y
endfunction
