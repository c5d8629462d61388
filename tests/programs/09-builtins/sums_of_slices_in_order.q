% Loops in order that take sums and extremes of slices: substitutions, filters, recurrences, where short and where long.

function x : vec = backward(u : mat, b : vec)
    n = numel(b)
    x = copy(b)
    for i = n-1..-1..0
        x[i] = b[i] - sum(u[i,i+1..n-1] .* x[i+1..n-1])
    endfor
endfunction

function x : vec = forward(u : mat, b : vec)
    n = numel(b)
    x = zeros(n)
    for i = 0..n-1
        x[i] = b[i] - dotprod(u[i,0..i-1], x[0..i-1])
    endfor
endfunction

function y : vec = filtered(x : vec, b : vec, a : vec)
    y = zeros(numel(x))
    K = numel(b)
    for n = K..numel(x)-1
        y[n] = mod(sum(b .* x[n-K+1..n]) - sum(a .* y[n-K..n-1]), 17)
    endfor
endfunction

function y : vec = largest_before(x : vec, r : int)
    y = copy(x)
    for n = 1..numel(x)-1
        y[n] = mod(x[n] + max(y[max(n-r,0)..n-1]), 23)
    endfor
endfunction

function y : vec = smoothed(x : mat)
    y = zeros(size(x,0))
    s = 0.0
    for m = 0..size(x,0)-1
        s = mod(2*s + sum(x[m,:]), 31)
        y[m] = s
    endfor
endfunction

function y : mat = numbers(m : int, n : int)
    y = zeros(m, n)
    for i = 0..m-1
        for j = 0..n-1
            y[i,j] = mod(3*i + 5*j, 3) - 1
        endfor
    endfor
endfunction

function [] = main()
    for n = [1, 2, 9, 30]
        u = numbers(n, n)
        b = reshape(numbers(1, n), [n])
        print(backward(u, b)[0], " ", forward(u, b)[n-1])
    endfor
    long = reshape(numbers(1, 3000), [3000])
    print(sum(filtered(long, [1,2,-1], [1,0,2])))
    print(sum(filtered(long[0..1], [1,2,-1], [1,0,2])))
    try
        print(sum(filtered(long, [1,2,-1], [1,0,2,1])))
    catch ex
        print("caught")
    endtry
    print(sum(largest_before(long, 5)), " ", sum(largest_before(long[0..0], 5)))
    try
        print(sum(largest_before(long, 0)))
    catch ex
        print("caught")
    endtry
    print(smoothed(numbers(40, 7))[39], " ", smoothed(numbers(5, 70000))[4])
    print(smoothed(numbers(3, 0))[2])
endfunction
