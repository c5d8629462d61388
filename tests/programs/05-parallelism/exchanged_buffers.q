% Steps in time that exchange two buffers: both keep the extents that they had, so that accesses need no tests.
function y : mat = heat(x : mat, steps : int)
    [M, N] = size(x)
    a = copy(x)
    b = copy(x)
    for t = 1..steps
        for m = 1..M-2
            for n = 1..N-2
                b[m,n] = a[m,n] + (a[m-1,n] + a[m+1,n] + a[m,n-1] + a[m,n+1] - 4*a[m,n])/8
            endfor
        endfor
        c = a
        a = b
        b = c
    endfor
    y = a
endfunction

% A name that is set first in each iteration.
function y : vec = rotated(x : vec, steps : int)
    n = numel(x)
    y = copy(x)
    z = zeros(n)
    t = 0
    while t < steps
        w = y
        for i = 0..n-1
            z[i] = w[mod(i+1, n)] + 1
        endfor
        y = z
        z = w
        t += 1
    endwhile
endfunction

% Buffers of different extents: their accesses are tested in each iteration.
function [] = of_different_extents(steps : int)
    a = zeros(5)
    b = zeros(3)
    done = 0
    try
        for t = 1..steps
            for i = 0..4
                a[i] = a[i] + t
            endfor
            done = t
            c = a
            a = b
            b = c
        endfor
    catch e
        print "outside"
    endtry
    print done, " ", numel(a), " ", numel(b)
endfunction

% Without iterations the name keeps its array, which is smaller.
function [] = never(steps : int)
    a = ones(6)
    b = 2*ones(6)
    c = 3*ones(2)
    for t = 1..steps
        c = a
        a = b
        b = c
    endfor
    s = 0.0
    try
        for i = 0..5
            s += c[i]
        endfor
        print s
    catch e
        print "outside"
    endtry
endfunction

% One of them is made anew, smaller, in some iteration.
function [] = made_anew(steps : int)
    a = ones(6)
    b = 2*ones(6)
    try
        for t = 1..steps
            s = 0.0
            for i = 0..5
                s += a[i]
            endfor
            print s
            c = a
            a = b
            b = c
            if t == 2
                a = ones(4)
            endif
        endfor
    catch e
        print "outside"
    endtry
endfunction

function [] = main()
    x = 8.0 * mod(repmat(transpose(0..6), [1,9])*3 + repmat(0..8, [7,1])*5, 8)
    print sum(heat(x, 0)), " ", sum(floor(heat(x, 1))), " ", sum(floor(heat(x, 4)))
    print rotated(0..4, 0), rotated(0..4, 1), rotated(0..4, 7)
    of_different_extents(1)
    of_different_extents(3)
    never(0)
    never(1)
    never(2)
    made_anew(2)
    made_anew(4)
endfunction
