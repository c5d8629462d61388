% Arrays that a function makes and hands through calls, recursion and loops; buffers that change places.
function y : vec = made(n : int)
    y = zeros(n)
endfunction
function y : vec = kept(x : vec, k : int)
    t = zeros(numel(x))
    if k > 2
        t = x
    endif
    y = t
endfunction
function [] = swapping(n : int)
    a = zeros(n)
    b = ones(n)
    for round = 1..3
        for k = 1..n - 1
            a[k] = b[k - 1] + 1
        endfor
        t = a
        a = b
        b = t
    endfor
    print a, b
endfunction
function [] = joined(n : int, k : int)
    a = zeros(n)
    b = a
    if k > 0
        b = ones(n)
    endif
    for k = 1..n - 1
        a[k] = b[k - 1] + 1
    endfor
    print a
endfunction
function [] = from_rounds(n : int)
    last = zeros(n)
    for round = 1..3
        a = kept(last, round)
        for k = 1..n - 1
            a[k] = last[k - 1] + round
        endfor
        last = a
    endfor
    print last
endfunction
function [p : vec, q : vec] = two_new(n : int)
    p = zeros(n)
    q = ones(n)
endfunction
function [p : vec, q : vec] = one_new(n : int)
    p = zeros(n)
    q = p
endfunction
function [] = main()
    a = made(6)
    b = made(6)
    for k = 1..5
        a[k] = b[k - 1] + 1
    endfor
    print a
    c = kept(a, 3)
    for k = 1..5
        a[k] = c[k - 1] + 2
    endfor
    print a
    c = kept(a, 1)
    for k = 1..5
        a[k] = c[k - 1] + 2
    endfor
    print a
    swapping(5)
    joined(5, 0)
    joined(5, 1)
    from_rounds(5)
    [p, q] = two_new(5)
    for k = 1..4
        p[k] = q[k - 1] + 1
    endfor
    print p
    [p, q] = one_new(5)
    for k = 1..4
        p[k] = q[k - 1] + 1
    endfor
    print q
endfunction
