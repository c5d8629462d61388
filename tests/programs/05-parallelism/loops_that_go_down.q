% Loops that go down.
function x : vec = differences(a : vec)
    x = copy(a)
    for i = numel(x)-1..-1..1
        x[i] -= x[i-1]
    endfor
endfunction
function x : vec = both(a : vec)
    x = copy(a)
    y = copy(a)
    for i = numel(x)-2..-1..2
        y[i] = x[i+1] - x[i-2]
        x[i] += y[i+1]
    endfor
    x = x + y
endfunction
function x : vec = up(a : vec)
    x = copy(a)
    for i = numel(x)-2..-1..0
        x[i] = x[i] - x[i+1]
    endfor
endfunction
function x : vec = two(a : vec)
    x = copy(a)
    for i = numel(x)-3..-1..0
        x[i] = x[i] + x[i+1] - x[i+2]
    endfor
endfunction
function c : vec = binomials(n : int)
    c = zeros(n+1)
    c[0] = 1
    for k = 1..n
        for j = k..-1..1
            c[j] += c[j-1]
        endfor
    endfor
endfunction
function dp : vec = knapsack(w : ivec, v : vec, W : int)
    dp = zeros(W+1)
    for i = 0..numel(w)-1
        for c = W..-1..w[i]
            dp[c] = max(dp[c], dp[c-w[i]] + v[i])
        endfor
    endfor
endfunction
function [s : scalar, y : vec] = folded(a : vec, b : vec)
    s = 0
    y = zeros(numel(a))
    for i = numel(a)-1..-1..0
        s += a[i]*b[numel(a)-1-i]
        y[i] = b[numel(a)-1-i] + i
    endfor
endfunction
function y : vec = turned(a : vec)
    y = zeros(numel(a))
    for i = numel(a)-1..-1..0
        y[numel(a)-1-i] = a[i]
    endfor
endfunction
function y : mat = rows(a : mat)
    y = copy(a)
    for m = 0..size(a,0)-1
        for n = size(a,1)-1..-1..1
            y[m,n] = y[m,n] + 2*y[m,n-1]
        endfor
    endfor
endfunction
function x : vec = upwards(a : vec, from : int, to : int)
    x = copy(a)
    for i = from..-1..to
        x[i] = x[i-1] + 1
    endfor
endfunction
function [] = main()
    for n = [4, 15, 16, 17, 47, 100]
        a = mod(7*(0..n-1), 16) + 0.0
        x = differences(a)
        y = both(a)
        z = up(a)
        u = two(a)
        [s, f] = folded(a, a)
        t = turned(a)
        w = 1..n
        print n, " ", sum(x .* w), " ", sum(y .* w), " ", sum(z .* w), " ", sum(u .* w), " ", s, " ", sum(f .* w), " ", sum(t .* w)
    endfor
    print binomials(20)
    print sum(binomials(23))
    print knapsack([3, 40, 1, 17], [4.0, 50.0, 1.0, 22.0], 60)
    r = rows(reshape(mod(7*(0..199), 16) + 0.0, 4, 50))
    print sum(r .* reshape(1..200, 4, 50)), " ", r[3, 45..49]
    try
        print upwards(zeros(20), 20, 1)
    catch e
        print "outside"
    endtry
    try
        print upwards(zeros(20), 18, -1)
    catch e
        print "outside"
    endtry
    print upwards(zeros(20), 3, 10)
    print upwards([1.0, 2.0, 3.0], 2, 1)
endfunction
