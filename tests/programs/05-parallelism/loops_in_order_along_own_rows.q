% Loops in order that read what they write: other elements of the same row or column, the own row from its end, one element of it.

function y : mat = shortest(d : mat)
    y = copy(d)
    for k = 0..size(d, 0) - 1
        for i = 0..size(d, 0) - 1
            for j = 0..size(d, 0) - 1
                y[i, j] = min(y[i, j], y[i, k] + y[k, j])
            endfor
        endfor
    endfor
endfunction

% The pivot becomes 1 in the middle of its own row.
function [] = divide_row(x : mat, i : int, from : int, to : int)
    {!serial for}
    for j = from..to
        x[i, j] = x[i, j] / x[i, i] + 1
    endfor
endfunction

function [] = lu(b : imat)
    n = size(b, 0)
    for i = 0..n - 1
        for j = 0..i - 1
            for k = 0..j - 1
                b[i, j] -= mod(b[i, k] * b[k, j], 7)
            endfor
            b[i, j] += b[j, j]
        endfor
        for j = i..n - 1
            for k = 0..i - 1
                b[i, j] -= mod(b[i, k] * b[k, j], 5)
            endfor
        endfor
    endfor
endfunction

function [s : int] = backwards(y : ivec, z : ivec)
    s = 0
    n = numel(y)
    {!serial for}
    for i = 0..n - 1
        s += y[n - 1 - i] * z[i]
        z[i] = y[n - 1 - i] + i
    endfor
    % In place: the second half sees what the first has written.
    {!serial for}
    for i = 0..n - 1
        y[i] = y[n - 1 - i] + 1
    endfor
endfunction

% `i` and `k` may be one row.
function [] = rows(y : imat, z : ivec, i : int, k : int)
    {!serial for}
    for j = 0..size(y, 1) - 1
        y[i, j] = y[k, j] * 2 + 1
    endfor
    {!serial for}
    for j = 0..size(y, 1) - 1
        y[i, j] = z[j] + 1
        z[j] = y[k, j] * 2
    endfor
endfunction

% The bound is an element that the loop changes.
function r : ivec = bounded()
    r = ivec(300)
    r[0] = 99
    {!serial for}
    for j = 0..r[0]
        r[j] = r[j] + 5
    endfor
endfunction

% All branches store to one element.
function d : int = distance(a : ivec, b : ivec)
    t = imat(numel(a) + 1, numel(b) + 1)
    for i = 0..numel(a)
        t[i, 0] = i
    endfor
    for j = 0..numel(b)
        t[0, j] = j
    endfor
    for i = 1..numel(a)
        for j = 1..numel(b)
            if a[i - 1] == b[j - 1]
                t[i, j] = t[i - 1, j - 1]
            elseif t[i - 1, j] < t[i, j - 1]
                t[i, j] = min(t[i - 1, j], t[i - 1, j - 1]) + 1
            else
                t[i, j] = min(t[i, j - 1], t[i - 1, j - 1]) + 1
            endif
        endfor
    endfor
    d = t[numel(a), numel(b)]
endfunction

function s : int = hash(x : imat)
    s = 0
    for m = 0..size(x, 0) - 1
        for n = 0..size(x, 1) - 1
            s = mod(s * 31 + x[m, n], 65521)
        endfor
    endfor
endfunction

function s : int = hash_of(x : ivec)
    s = 0
    for m = 0..numel(x) - 1
        s = mod(s * 31 + x[m], 65521)
    endfor
endfunction

function y : imat = table(m : int, n : int)
    y = imat(m, n)
    for i = 0..m - 1
        for j = 0..n - 1
            y[i, j] = mod(i * 17 + j * j * 5 + 3, 23)
        endfor
    endfor
endfunction

function [] = main()
    d = zeros(150, 150)
    for i = 0..149
        for j = 0..149
            d[i, j] = mod(i * 7 + j * 13 + i * j, 101) + 1
        endfor
    endfor
    y = shortest(d)
    print sum(y), " ", y[3, 140], " ", y[149, 0]
    x = ones(3, 200) * 8
    x[1, 100] = 4
    divide_row(x, 1, 0, 199)
    x[2, 2] = 2
    divide_row(x, 2, 0, 199)
    divide_row(x, 0, 90, 80)
    divide_row(x, 0, 10, 60)
    print x[1, 0], " ", x[1, 1], " ", x[1, 2], " ", x[1, 100], " ", x[1, 199]
    print x[2, 0], " ", x[2, 1], " ", x[2, 2], " ", x[2, 3], " ", x[2, 199]
    print x[0, 0], " ", x[0, 9], " ", x[0, 10], " ", x[0, 60], " ", x[0, 61]
    b = table(140, 140)
    lu(b)
    print hash(b)
    v = ivec(301)
    w = ivec(301)
    for i = 0..300
        v[i] = mod(i * i, 37)
        w[i] = mod(i * 5, 11)
    endfor
    s = backwards(v, w)
    print s, " ", hash_of(v), " ", hash_of(w)
    print distance(v, w), " ", distance(w, v), " ", distance(v, v)
    print sum(bounded())
    t = table(4, 200)
    z = ivec(200)
    rows(t, z, 1, 1)
    print hash(t), " ", hash_of(z)
    rows(t, z, 1, 2)
    print hash(t), " ", hash_of(z)
endfunction
