function [] = __kernel__ asks(x : vec, pos : int)
    x[pos] = $target("gpu") ? 1 : 2
endfunction
function [y] = __kernel__ gives(x : vec, pos : int)
    if $target("gpu")
%      ^ Q0602 if-branch is cut due to the assertions and constants known here
        x[pos] = "text"
%                ^ Q0404 strings cannot be used in kernel function 'gives'
    endif
    y += 1
endfunction
function [] = __kernel__ unknown(x : vec, pos : int)
    x[pos] = $target("tpu")
%            ^ Q0313 there is no target 'tpu' targets are "cpu", "gpu", "nvidia_cuda", "opencl", "nvidia_opencl" and "amd_opencl"
endfunction
function [] = main()
    x = zeros(2)
    multi_parallel_do(2, x, asks)
%                           ^ Q0001 not supported yet: 'multi_parallel_do' of a kernel that asks for its '$target'
    parallel_do(2, x, gives)
    parallel_do(2, x, unknown)
    print $target(3)
%         ^ Q0313 '$target' takes one word in quotes, as in $target("gpu")
endfunction
