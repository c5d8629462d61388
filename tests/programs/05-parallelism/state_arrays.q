% Loops in order over small arrays that get new values as a whole: each array has storage before the loop, and one kernel does everything.

function w : vec = lms(x : vec, d : vec, taps : int, rate : scalar)
    w = zeros(taps)
    for n = taps - 1..numel(x) - 1
        u = x[n - taps + 1..n]
        e = d[n] - dotprod(w, u)
        w = w + rate * e * u
    endfor
endfunction

function dy = lorenz(y : vec)
    dy = zeros(3)
    dy[0] = 2 * (y[1] - y[0])
    dy[1] = y[0] * (4 - y[2]) - y[1]
    dy[2] = y[0] * y[1] - y[2] / 2
endfunction

function out : mat = integrated(y0 : vec, h : scalar, n : int)
    out = zeros(n, numel(y0))
    y = y0
    for k = 0..n-1
        k1 = lorenz(y)
        k2 = lorenz(y + h/2*k1)
        k3 = lorenz(y + h/2*k2)
        k4 = lorenz(y + h*k3)
        y = y + h/6*(k1 + 2*k2 + 2*k3 + k4)
        out[k,:] = y
    endfor
endfunction

% A filter of one number measured at a time.
function [out : mat, P : mat] = filtered(z : vec, F : mat, h : mat, q : scalar)
    n = size(F, 0)
    out = zeros(numel(z), n)
    x = zeros(n, 1)
    P = eye(n)
    for t = 0..numel(z) - 1
        x = F * x
        P = F * P * transpose(F) + q * eye(n)
        s = h * P * transpose(h)
        K = P * transpose(h) / (s[0,0] + 1)
        r = h * x
        x = x + K * (z[t] - r[0,0])
        P = P - K * h * P
        out[t,:] = transpose(x)
    endfor
endfunction

% Differences of steps: a name for the array of the step before.
function [x : vec, change : vec] = relaxed(A : mat, b : vec, n : int)
    x = zeros(numel(b))
    change = zeros(n)
    for k = 0..n-1
        old = x
        ax = transpose(A * transpose(x))
        x = x + 0.25 * (b - ax)
        change[k] = max(abs(x - old))
    endfor
endfunction

% Without an iteration, y is another name for x.
function y : vec = kept(x : vec, n : int)
    y = x
    for k = 0..n-1
        y = y * 0.5 + 1
    endfor
    y[0] = 7
endfunction

% The first step reads what it also writes.
function x : vec = chained(rows : mat, n : int)
    x = rows[0,:]
    for k = 1..n-1
        x = x + rows[k-1,:]
        rows[k,:] = x
    endfor
endfunction

% Two names for one array behind the loop.
function s : scalar = named_twice(a : vec, n : int)
    x = a
    y = a
    for k = 0..n-1
        y = x
        x = x + 1
        y = x
    endfor
    x[0] = 100
    s = y[0]
endfunction

function x : vec = sometimes(a : vec, n : int)
    x = a
    for k = 0..n-1
        if mod(k, 3) == 0
            x = 2 * x
        else
            x = x - a
        endif
        if max(abs(x)) > 50
            x = x * 0.25
        endif
    endfor
endfunction

function z : cvec = turned(a : cvec, n : int)
    z = a
    for k = 0..n-1
        z = z * complex(0.5, 0.5) + conj(a)
    endfor
endfunction

function y : vec = grown(a : vec, n : int)
    y = a
    for k = 0..n-1
        y = horzcat(y[1..numel(y)-1], y[0..0])
        y = y + k
    endfor
endfunction

function y : vec = misfit(a : vec, b : vec, n : int)
    y = a
    for k = 0..n-1
        y = y + b
    endfor
endfunction

function t : mat = trials(n : int, m : int)
    t = zeros(n, 4)
    for i = 0..n-1
        x = [1.0, 2.0, 3.0, 4.0] * i
        for k = 0..m-1
            x = 0.5 * x + fliplr(x) * 0.25
        endfor
        t[i,:] = x
    endfor
endfunction

% Two numbers measured at a time.
function x : mat = tracked(z : mat, F : mat, H : mat)
    n = size(F, 0)
    x = zeros(n, 1)
    P = eye(n)
    for t = 0..size(z, 0) - 1
        x = F * x
        P = F * P * transpose(F) + 0.125 * eye(n)
        K = P * transpose(H) * inv(H * P * transpose(H) + eye(size(H, 0)))
        x = x + K * (transpose(z[t,:]) - H * x)
        P = P - K * H * P
    endfor
endfunction

% Steps with an implicit method: (I - h*A) * next = y.
function y : vec = implicit(A : mat, y0 : vec, h : scalar, n : int)
    y = y0
    for k = 0..n-1
        y = solve(eye(numel(y0)) - h * A, y)
    endfor
endfunction

function y : mat = inverses(A : mat, n : int)
    y = A
    for k = 0..n-1
        y = inv(y) * 2
    endfor
endfunction

% Each step has an array of its own, to whose slices it stores.
function u : vec = heated(u0 : vec, steps : int)
    u = u0
    n = numel(u)
    for k = 0..steps-1
        before = u
        u = zeros(n)
        u[1..n-2] = before[1..n-2] + 0.25 * (before[2..n-1] - 2 * before[1..n-2] + before[0..n-3])
    endfor
    u[0] = 9
endfunction

function p : mat = chain(M : mat, first : vec, n : int)
    p = zeros(n, numel(first))
    p[0,:] = first
    for t = 1..n-1
        p[t,:] = p[t-1,:] * M
    endfor
endfunction

% Stores while an array has two names, and before it gets another value.
function u : vec = two_names(a : vec, n : int)
    u = a
    for k = 0..n-1
        old = u
        u[0] = u[0] + 1
        u = u + old
    endfor
endfunction

% A third name, which sees what is stored by the first.
function s : scalar = three_names(b : vec, n : int)
    s = 0
    for k = 0..n-1
        a = b
        c = a
        a = zeros(numel(b))
        b[0] = b[0] + 1
        s = s + sum(c) + sum(a)
    endfor
endfunction

function u : vec = stored_first(a : vec, n : int)
    u = a
    for k = 0..n-1
        u[1] = k
        u = u + 1
    endfor
endfunction

function [] = main()
    x = mod(7 * linspace(0, 63, 64), 11) / 8
    print round(sum(lms(x, x * 2, 8, 0.03125)) * 1000)
    print round(integrated([1.0, 1.0, 1.0], 0.03125, 40) * 1000)[39,:]
    F = [[1, 0.5, 0],[0, 1, 0.5],[0, 0, 1]]
    [o, P] = filtered(x, F, [[1.0, 0.0, 0.0]], 0.125)
    print round(o[63,:] * 1000), " ", round(P * 1000)
    A = [[2.0, 0.5],[0.5, 1.0]]
    [s, c] = relaxed(A, [1.0, -1.0], 12)
    print round(s * 1000), " ", round(c * 1000)
    a = [4.0, 2.0, 1.0]
    y = kept(a, 3)
    print a, " ", y
    y = kept(a, 0)
    print a, " ", y
    r = zeros(5, 3)
    r[0,:] = a
    print chained(r, 5), " ", r
    print named_twice(a, 3), " ", a
    print sometimes(a, 10)
    z = turned([complex(1.0, 2.0), complex(0.5, -1.0)], 9)
    print round(real(z) * 1000), " ", round(imag(z) * 1000)
    print grown(a, 4)
    try
        print misfit(a, [1.0, 2.0], 3)
    catch ex
        print "sizes differ"
    endtry
    print misfit(a, [1.0, 2.0], 0)
    print round(sum(trials(6, 9)) * 1000)
    z = [[1.0, 2.0],[2.0, 1.5],[3.0, 1.0],[4.0, 0.5],[5.0, 0.0]]
    F = [[1, 0, 0.5, 0],[0, 1, 0, 0.5],[0, 0, 1, 0],[0, 0, 0, 1]]
    print round(transpose(tracked(z, F, [[1.0, 0, 0, 0],[0, 1.0, 0, 0]])) * 1000)
    B = [[0.0, 2.0, 1.0],[1.0, 0.0, 0.0],[0.5, 0.25, -3.0]]
    print round(implicit(B, [1.0, 2.0, 4.0], 0.125, 5) * 1000)
    print round(inverses(B, 3) * 1000)
    try
        print inverses([[1.0, 2.0],[2.0, 4.0]], 2)
    catch ex
        print "singular"
    endtry
    try
        print inverses([[1.0, 2.0, 3.0],[2.0, 4.0, 5.0]], 2)
    catch ex
        print "not square"
    endtry
    rod = [0.0, 0, 8, 0, 0, 4, 0, 0]
    print heated(rod, 3), " ", heated(rod, 0), " ", rod
    print chain([[0.5, 0.5],[0.25, 0.75]], [1.0, 0.0], 4)
    print two_names(a, 2), " ", a
    print stored_first(a, 3), " ", a
    print three_names(a, 3), " ", a
endfunction
