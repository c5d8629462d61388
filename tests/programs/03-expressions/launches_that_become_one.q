% Array statements over the same elements are one launch: values that later statements read, parts of one array, sums between.

function y : mat = haar_steps(x : mat)
    [M, N] = size(x)
    h = int(M/2)
    w = int(N/2)
    a = x[0..2..M-2,0..2..N-2]
    b = x[0..2..M-2,1..2..N-1]
    c = x[1..2..M-1,0..2..N-2]
    d = x[1..2..M-1,1..2..N-1]
    y = uninit(M, N)
    y[0..h-1,0..w-1] = (a+b+c+d)/2
    y[0..h-1,w..N-1] = (a-b+c-d)/2
    y[h..M-1,0..w-1] = (a+b-c-d)/2
    y[h..M-1,w..N-1] = (a-b-c+d)/2
endfunction

% The parts overlap where `k` is less than half of the elements, and the later one wins.
function [] = overlapping(y : vec, x : vec, k : int)
    n = int(numel(y)/2)
    y[0..n-1] = x + 1
    y[k..k+n-1] = x .* 2
endfunction

function [u : vec, v : vec, s : scalar, q : scalar] = steps(u0 : vec, v0 : vec, f : scalar)
    r = u0 .* v0 .* v0
    u = u0 - r + f * (1 - u0)
    s = sum(u)
    v = v0 + r - u
    q = sum(v .* v) / numel(v)
    u += v
endfunction

% The second name of an array sees what is written by the first.
function z : vec = renamed(x : vec)
    y = x + 1
    w = y
    w[0..numel(w)-1] = y .* 2
    z = w + y
endfunction

% Neighbours are read behind the launch that writes them.
function z : vec = neighbours(x : vec)
    y = x .* x
    n = numel(x)
    z = y[0..n-2] + y[1..n-1]
endfunction

% Two arguments that may be one array.
function [] = both(p : vec, q : vec, x : vec)
    p[0..numel(x)-1] = x + 1
    q[0..numel(x)-1] = x + p
endfunction

% What was stored before the sizes differ is seen outside.
function [] = half_done(p : vec, x : vec, y : vec)
    p[0..numel(x)-1] = x + 1
    z = x + y
    p[0..numel(x)-1] = z - 1
endfunction

% A later statement fails where its sizes differ, and only then.
function s : scalar = sizes(a : mat, b : mat)
    t = a .* 2 - 1
    u = t + a
    s = min(u - b)
endfunction

function [] = main()
    x = zeros(4,6)
    for m = 0..3
        for n = 0..5
            x[m,n] = m*6+n
        endfor
    endfor
    print haar_steps(x)
    for k = [0,2,3]
        y = zeros(6)
        overlapping(y, [1,2,3], k)
        print y
    endfor
    [u, v, s, q] = steps([1,2,4], [1,0,2], 0.5)
    print u, v, s, " ", q
    print renamed([1,2,3])
    print neighbours([1,2,3,4])
    p = zeros(3)
    q = zeros(3)
    both(p, q, [1,2,3])
    print p, q
    both(p, p, [1,2,3])
    print p
    try
        half_done(p, [5,6,7], [1,2])
    catch e
        print "caught"
    endtry
    print p
    print sizes(ones(2,2), ones(2,2))
    try
        print sizes(ones(2,2), ones(2,3))
    catch e
        print "sizes differ"
    endtry
endfunction
