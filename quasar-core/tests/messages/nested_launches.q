function [] = __kernel__ shared_inner(x : vec, pos : int)
    s = shared_zeros(4)
    syncthreads
    x[pos] = s[0]
endfunction
function [] = __kernel__ block_inner(x : vec, pos : int, blkpos : int)
    x[pos] = blkpos
endfunction
function [] = __kernel__ warp_inner(x : vec, pos : int, coalesced_threads)
    x[pos] = coalesced_threads.shfl(x[pos], 0)
endfunction
function [] = __kernel__ variable_inner(x : vec, pos : int)
    s : 'shared = zeros(4)
    x[pos] = s[0]
endfunction
function [] = __device__ f(x : vec)
    parallel_do(2, x, block_inner)
%   ^ Q0421 kernel 'block_inner' cannot be launched by a kernel: it asks for its block
endfunction
function [] = __kernel__ k(x : vec, pos : int)
    parallel_do(2, x, shared_inner)
%   ^ Q0421 kernel 'shared_inner' cannot be launched by a kernel: it shares memory or waits at barriers
    parallel_do(2, x, warp_inner)
%   ^ Q0421 kernel 'warp_inner' cannot be launched by a kernel: it uses a group of threads
    serial_do(2, x, variable_inner)
%   ^ Q0421 kernel 'variable_inner' cannot be launched by a kernel: it shares memory
    multi_parallel_do(2, x, block_inner)
%   ^ Q0421 kernel 'block_inner' cannot be launched by a kernel
    f(x)
endfunction
function [] = main()
    x = zeros(2)
    parallel_do(2, x, k)
endfunction
