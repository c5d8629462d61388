% Kernels and what they call have other code on other targets, which computes the same here. The interpreter is a processor.
function y : scalar = __device__ triangle(n : int)
    if $target("gpu")
        y = n*(n + 1)/2
    else
        y = 0
        for k = 1..n
            y += k
        endfor
    endif
endfunction
reduction (a : scalar, b : scalar) -> twice_sum(a, b) = 2*a + 2*b where $target("gpu")
reduction (a : scalar, b : scalar) -> twice_sum(a, b) = 2*(a + b)
macro [] = profile()
    if $target("nvidia_cuda")
        {!cuda_launch_bounds max_threads_per_block=128}
    endif
endmacro
function [] = __kernel__ fill(y : vec, pos : int)
    {!profile}
    % A branch for another target is not typed.
    if $target("opencl") && $target("cpu")
        y[pos] = "never"
    endif
    y[pos] = triangle(pos) + twice_sum(0.5, float(pos))
endfunction
function [total : scalar] = __kernel__ add(y : vec, pos : int)
    if $target("nvidia_cuda")
        total += y[pos]
    else
        total += 2*y[pos] - y[pos]
    endif
endfunction
function [] = __kernel__ rows(y : mat, pos : int)
    serial_do(size(y,1), y, pos, __kernel__ (y : mat, row : int, pos : int) -> y[row,pos] += triangle(pos))
endfunction
function [] = main()
    y = zeros(6)
    parallel_do(6, y, fill)
    print y
    print parallel_do(6, y, add)
    serial_do(6, y, fill)
    print y
    c = 3.0
    z = zeros(4)
    parallel_do(4, __kernel__ (pos : int) -> z[pos] = $target("gpu") ? c + pos : pos + c)
    print z
    for k = 0..3
        z[k] = triangle(k)
    endfor
    print z, " ", triangle(4), " ", $target("cpu"), $target("gpu")
    m = zeros(2,3)
    parallel_do(2, m, rows)
    print m
    schedule(6, y, {fill})
    print y
endfunction
