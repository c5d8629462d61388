% compiled COMPILER_KERNEL_DYNAMICMEMORY=False
function s = __device__ spread(n : int)
    v = zeros(n)
%   ^ Q0421 each thread would make the array 'v', whose size is not known or too large for registers
    s = sum(v)
endfunction
function [] = __kernel__ k(x : mat, y : vec, n : int, pos : int)
    a = zeros(3)
    w = x[pos, 0..n]
%   ^ Q0421 make it before the launch and pass it to the kernel
    y[pos] = w[0] + a[0] + spread(n)
endfunction
function [] = main(n : int = 4)
    y = zeros(n)
    parallel_do(n, zeros(n, n), y, 3, k)
    for m = 0..n-1
        y[m] = spread(m)
    endfor
endfunction
