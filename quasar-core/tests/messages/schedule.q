% compiled, with remarks
function [] = __kernel__ cpu(x : vec, pos : int)
    {!kernel target="cpu"}
    x[pos] = 1
endfunction
function [] = __kernel__ gpu(x : vec, pos : int)
    {!kernel target="gpu"}
    x[pos] = 1
endfunction
function [] = __kernel__ other_gpu(x : vec, pos : int)
    {!kernel target="gpu"}
    x[pos] = 2
endfunction
function y : int = __device__ steps(n : int)
    y = n == 0 ? 0 : steps(n - 1) + 1
%                    ^ Q0607 'recursive' is meant for GPUs, which cannot run it: a function that calls itself
endfunction
function [] = __kernel__ recursive(x : vec, pos : int)
    {!kernel target="opencl"}
    x[pos] = steps(pos)
endfunction
function [] = main()
    x = zeros(2)
    schedule(2, x, {cpu, gpu})
%   ^ Q0501 The run-time system chooses the kernel: 'gpu' on GPUs, 'cpu' on the processor.
    schedule(2, x, {cpu, gpu, other_gpu})
%   ^ Q0416 'other_gpu' is never chosen: 'gpu' before it has the same target
%   ^ Q0501 chooses the kernel
    parallel_do(2, x, recursive)
endfunction
