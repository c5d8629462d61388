% compiled, with remarks
function [] = __kernel__ asks(x : vec, pos : int)
    x[pos] = $target("gpu") ? 1 : 2
endfunction
function [] = __kernel__ for_gpus(x : vec, pos : int)
    {!kernel target="gpu"}
    x[pos] = $target("nvidia_cuda") ? 1 : 2
endfunction
function [] = __kernel__ other(x : vec, pos : int)
    x[pos] = 3
endfunction
function [] = main()
    x = zeros(2)
    parallel_do(2, x, asks)
%   ^ Q0501 The run-time system chooses the kernel: 'asks' on GPUs, 'asks' on the processor.
    parallel_do(2, x, for_gpus)
%   ^ Q0501 The run-time system chooses the kernel: 'for_gpus' through CUDA, 'for_gpus' through OpenCL, 'for_gpus' on the processor.
    schedule(2, x, {asks, for_gpus})
%   ^ Q0501 The run-time system chooses the kernel: 'for_gpus' through CUDA, 'for_gpus' through OpenCL, 'asks' on GPUs, 'asks' on the processor.
    schedule(2, x, {asks, other})
%   ^ Q0416 'other' is never chosen: 'asks' before it has the same target write `{!kernel target="gpu"}` or another target at the start of a kernel
%   ^ Q0501 The run-time system chooses the kernel: 'asks' on GPUs, 'asks' on the processor.
    schedule(2, x, {other, asks})
%   ^ Q0416 'asks' is never chosen: 'other' before it has the same target write `{!kernel target="gpu"}` or another target at the start of a kernel
%   ^ Q0501 The run-time system chooses the kernel: 'other' everywhere.
    serial_do(2, x, asks)
endfunction
