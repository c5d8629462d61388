% Versions of a function for conditions, which are tested when it is called.
function y : vec = smoothed(x : vec, taps : int, gain : scalar)
    {!specialize args=(taps == 3 || taps == 1 && gain == 1.0 || taps > 8)}
    if $check(taps > 8) == "Valid"
        print "many"
    elseif $check(taps <= 3) == "Valid"
        print "few"
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
    {!specialize args=(n == 2 || n == 3)}
    y = 1.0
    for k = 1..n
        y *= x
    endfor
endfunction
function [] = __kernel__ scaled(x : vec, y : vec, mode : int, pos : int)
    {!specialize args=(mode == 0 || mode == 1)}
    if mode == 0
        y[pos] = x[pos]
    elseif mode == 1
        y[pos] = 2*x[pos]
    else
        y[pos] = mode*power(x[pos], mode)
    endif
endfunction
function y = kind(x, k : int)
    {!specialize args=(type(x, "int") && k > 0 || k < 0)}
    y = type(x, "int") ? 10 : 20
    if k < 0
        y = -y
    endif
endfunction
function [] = main(...arguments)
    x = [1.0, 2.0, 3.0, 4.0]
    print smoothed(x, 3, 1.0)
    print smoothed(x, 1, 1.0), " ", smoothed(x, 1, 2.0)
    n = 9 + numel(arguments)
    print smoothed(x, n, 1.0)
    print smoothed(x, 5, 1.0)
    y = zeros(4)
    for mode = 0..3
        parallel_do(4, x, y, mode, scaled)
        print y
    endfor
    print kind(1, 1), " ", kind(1.5, 1), " ", kind(1, -1), " ", kind("a", 0)
endfunction
