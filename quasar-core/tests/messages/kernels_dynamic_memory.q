% optimised
function s = __device__ spread(n : int)
    v = zeros(n)
%   ^ Q0425 kernel 'calls' takes dynamic memory: each thread makes the array 'v'
    s = sum(v)
endfunction
function [] = __kernel__ slices(x : mat, y : vec, n : int, pos : int)
    a = zeros(4)
    t = ones(8,8)
    w = x[pos, 0..n]
%   ^ Q0425 kernel 'slices' takes dynamic memory: each thread makes the array 'w', whose size is not known or too large for registers give it a small size that is known, or make it before the launch and pass it to the kernel `{!kernel memorymodel="concurrent"}` in the kernel says that this is meant a device needs at most multiprocessors x resident blocks x threads of a block x the bytes of a thread
    u = w + 1
    y[pos] = w[0] + a[0] + u[1] + t[1,1]
endfunction
function [] = __kernel__ large(y : vec, pos : int)
    w = zeros(40,30)
%   ^ Q0425 kernel 'large' takes dynamic memory: each thread makes the array 'w', whose size is not known or too large for registers give it a small size that is known, or make it before the launch and pass it to the kernel `{!kernel memorymodel="concurrent"}` in the kernel says that this is meant a device needs at most multiprocessors x resident blocks x threads of a block x 4800 bytes
    w[pos,0] = 1
    y[pos] = w[pos,0]
endfunction
function [] = __kernel__ calls(y : vec, n : int, pos : int)
    y[pos] = spread(n)
endfunction
% What names a model of memory means it; what needs none is silent.
function [] = __kernel__ meant(x : mat, y : vec, n : int, pos : int)
    {!kernel memorymodel="concurrent"}
    w = x[pos, 0..n]
    y[pos] = w[0]
endfunction
function [] = __kernel__ small(x : mat, y : vec, pos : int)
    w = x[pos, 0..3]
    v = zeros(64)
    v[pos] = 1
    y[pos] = w[0] + v[1]
endfunction
function [] = main(n : int = 4)
    y = zeros(n)
    x = zeros(n, n)
    parallel_do(n, x, y, n - 1, slices)
    parallel_do(n, y, large)
    parallel_do(n, y, n, calls)
    parallel_do(n, x, y, n - 1, meant)
    parallel_do(n, x, y, small)
endfunction
