% Loops in order around loops that are parallel: one kernel where these are small, launches where they are large.

% Each step reads what the one before has written, also from its end.
function y : ivec = steps(x : ivec, count : int)
    n = numel(x)
    y = copy(x)
    z = ivec(n)
    for k = 1..count
        s = 0
        for i = 0..n - 1 - mod(k, 3)
            s += mod(y[n - 1 - i] * x[i], 11)
        endfor
        for i = 0..n - 1
            z[i] = mod(y[i] + s + y[n - 1 - i] * k, 1009)
        endfor
        for i = 0..n - 1
            y[i] = z[i]
        endfor
        y[mod(k, n)] = s
    endfor
endfunction

% Triangles: the sizes of launches depend on the loop around.
function b : mat = eliminated(a : mat)
    b = copy(a)
    n = size(b, 0)
    for k = 0..n - 2
        for i = k + 1..n - 1
            f = b[i, k] / b[k, k]
            for j = k..n - 1
                b[i, j] -= f * b[k, j]
            endfor
        endfor
    endfor
endfunction

% How many steps there are is not known before.
function [rounds : int, x : vec] = relaxed(start : vec)
    x = copy(start)
    rounds = 0
    change = 1.0
    while change > 0.25 && rounds < 50
        y = zeros(numel(x))
        change = 0
        for i = 1..numel(x) - 2
            y[i] = (x[i - 1] + x[i + 1]) / 2
        endfor
        for i = 1..numel(x) - 2
            change = max(change, abs(y[i] - x[i]))
        endfor
        for i = 1..numel(x) - 2
            x[i] = y[i]
        endfor
        rounds += 1
    endwhile
endfunction

% What was done before an error is seen behind it.
function [last : int, done : int] = failing(x : ivec, at : int)
    done = 0
    last = -1
    try
        for k = 0..9
            for i = 0..numel(x) - 1
                x[i] += k + i
            endfor
            done += 1
            x[at * k] = 0
            last = k
        endfor
    catch e
        done += 100
    endtry
endfunction

% The loops use arrays that the loop around replaces.
function y : ivec = growing(count : int)
    y = ivec(3)
    for k = 1..count
        z = ivec(numel(y) + 2)
        for i = 0..numel(y) - 1
            z[i] = y[i] + i
        endfor
        z[numel(y)] = k
        y = z
    endfor
endfunction

% The bound fails where it is reached.
function y : ivec = halves(n : int, m : int, count : int)
    y = ivec(n)
    for k = 1..count
        for i = 0..int(n / m) - 1
            y[i] += k
        endfor
        y[0] = y[n - 1] + 1
        for i = 0..int(n / m) - 1
            y[i] += y[0] * 0 + 1
        endfor
    endfor
endfunction

function s : int = hash(x : ivec)
    s = 0
    for m = 0..numel(x) - 1
        s = mod(s * 31 + x[m], 65521)
    endfor
endfunction

function x : ivec = numbers(n : int)
    x = ivec(n)
    for i = 0..n - 1
        x[i] = mod(i * 7 + 3, 101)
    endfor
endfunction

function [] = main()
    print hash(steps(numbers(40), 9)), " ", hash(steps(numbers(9000), 9)), " ", hash(steps(numbers(3), 4)), " ", hash(steps(numbers(40), 0))
    for n = [5, 130]
        a = zeros(n, n)
        for i = 0..n - 1
            for j = 0..n - 1
                a[i, j] = (i == j ? 4 : 0) + (i > j ? 1 : 0)
            endfor
        endfor
        b = eliminated(a)
        print sum(b), " ", b[n - 1, 0], " ", b[n - 1, n - 1]
    endfor
    for n = [20, 30000]
        x = zeros(n)
        x[0] = 8
        [rounds, y] = relaxed(x)
        print rounds, " ", int(y[1] * 1000), " ", int(y[2] * 1000), " ", y[n - 2]
    endfor
    for n = [30, 30000]
        x = numbers(n)
        [last, done] = failing(x, 5)
        print last, " ", done, " ", hash(x)
        [last, done] = failing(x, 7)
        print last, " ", done, " ", hash(x)
    endfor
    print hash(growing(7))
    print hash(halves(10, 2, 3)), " ", hash(halves(10, 0, 0))
endfunction
