% Versions of functions for the constants that calls give them.
WIDTH = 3
function y : vec = smoothed(x : vec, taps : int, gain : scalar)
    {!auto_specialize}
    if $check(taps == 3) == "Valid"
        print "three"
    elseif $check(taps == 2) == "Valid"
        print "two"
    else
        print "general"
    endif
    y = zeros(numel(x))
    for i = 0..numel(x)-1
        s = 0.0
        for k = 0..taps-1
            s += x[mod(i + k, numel(x))]
        endfor
        y[i] = gain*s/taps
    endfor
endfunction
function y = __device__ power(x : scalar, n : int)
    {!auto_specialize}
    y = 1.0
    for k = 1..n
        y *= x
    endfor
endfunction
function [] = __kernel__ scaled(x : vec, y : vec, mode : int, pos : int)
    {!auto_specialize}
    y[pos] = mode == 1 ? x[pos] : mode*power(x[pos], mode)
endfunction
function [] = main(...arguments)
    x = [1.0, 2.0, 3.0, 4.0]
    n = 2 + numel(arguments)
    print smoothed(x, WIDTH, 1.0)
    print smoothed(x, 2, n/2)
    print smoothed(x, n, 1.0)
    print smoothed(x, n + 2, 1.0)
    y = zeros(4)
    parallel_do(4, x, y, 1, scaled)
    print y
    parallel_do(4, x, y, n, scaled)
    print y
    print power(2, 3), " ", power(3, n)
endfunction
