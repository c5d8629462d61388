% Inner loops that add to one element, or write along rows, also where they read what they write

% a part of a row, by numbers that the columns and the row share
function [] = scaled(y : mat, x : mat, w : vec)
    for m = 0..size(y,0)-1
        s = 0.0
        for n = 0..size(x,1)-1
            s += x[m,n]
        endfor
        for n = 0..size(x,1)-1
            y[m,n] = w[n]*(x[m,n] - s) + y[m,n]
        endfor
    endfor
endfunction

% each element is made of one that was written before
function [] = recurrence(y : mat)
    for m = 0..size(y,0)-1
        for n = 1..size(y,1)-1
            y[m,n] = y[m,n] + y[m,n-1]/2
        endfor
    endfor
endfunction

% each element is made of one that is written later
function [] = moved(y : mat)
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-2
            y[m,n] = y[m,n+1] + 1
        endfor
    endfor
endfunction

% the distance is known when the program runs
function [] = by_distance(y : mat, d : int)
    for m = 0..size(y,0)-1
        for n = 2..size(y,1)-3
            y[m,n] = y[m,n] + y[m,n+d]/2
        endfor
    endfor
endfunction

% rows that may be the same one, in order
function [] = rows_of(y : mat, i : int, k : int)
    {!serial for}
    for n = 1..size(y,1)-1
        y[i,n] = y[i,n] - y[i,0]*y[k,n-1]
    endfor
endfunction

% elimination: each row less a multiple of an earlier one
function [] = eliminated(b : mat)
    n = size(b,0)
    for k = 0..n-1
        for i = k+1..n-1
            b[i,k] /= b[k,k]
            for j = k+1..n-1
                b[i,j] -= b[i,k]*b[k,j]
            endfor
        endfor
    endfor
endfunction

% lower triangles, whose elements are sums over earlier ones
function [] = triangle(l : mat)
    n = size(l,0)
    for i = 0..n-1
        for j = 0..i-1
            for k = 0..j-1
                l[i,j] -= l[i,k]*l[j,k]
            endfor
            l[i,j] /= l[j,j]
        endfor
        for k = 0..i-1
            l[i,i] -= l[i,k]*l[i,k]
        endfor
        l[i,i] = sqrt(l[i,i])
    endfor
endfunction

% an element that is among those which are added to it
function [] = gathered(y : ivec, p : int)
    {!serial for}
    for k = 0..numel(y)-1
        y[p] += y[k]
    endfor
endfunction

% products of columns, on both sides of the diagonal
function c : mat = products(d : mat)
    m = size(d,1)
    c = zeros(m,m)
    for i = 0..m-1
        for j = i..m-1
            for k = 0..size(d,0)-1
                c[i,j] += d[k,i]*d[k,j]
            endfor
            c[i,j] /= 2
            c[j,i] = c[i,j]
        endfor
    endfor
endfunction

% sums of rows and of columns in one pass
function [s, q] = both(a : mat, p : vec, r : vec)
    s = zeros(size(a,1))
    q = zeros(size(a,0))
    for i = 0..size(a,0)-1
        for j = 0..size(a,1)-1
            s[j] = s[j] + r[i]*a[i,j]
            q[i] = q[i] + a[i,j]*p[j]
        endfor
    endfor
endfunction

% extremes, and numbers that wrap around
function [] = extremes(x : mat, high : vec, low : vec)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            high[m] = max(high[m], x[m,n])
            low[m] = min(low[m], x[m,n])
        endfor
    endfor
endfunction

function [] = wrapped(x : imat, s : ivec)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s[m] += x[m,n]*65537
        endfor
    endfor
endfunction

% as many elements as there are to be, and some that are not there
function [] = into(y : mat, x : mat, w : vec, n : int)
    {!serial for}
    for m = 0..size(x,0)-1
        for k = 0..n-1
            y[m,k] = x[m,k] + w[k]
        endfor
    endfor
endfunction

function [] = onto(y : vec, x : mat, p : int, n : int)
    {!serial for}
    for m = 0..size(x,0)-1
        for k = 0..n-1
            y[p] += x[m,k]
        endfor
    endfor
endfunction

function x : mat = numbers(m : int, n : int)
    x = zeros(m,n)
    for i = 0..m-1
        for j = 0..n-1
            x[i,j] = mod(7*i + 5*j, 13) - 6
        endfor
    endfor
endfunction

function r : int = digest(x : mat)
    r = 0
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            r = r*31 + int(8*x[i,j])
        endfor
    endfor
endfunction

function [] = main()
    for n = [1, 2, 31, 63, 64, 65, 97, 200]
        x = numbers(3,n)
        y = numbers(3,n)
        scaled(y, x, x[1,0..n-1])
        a = digest(y)
        moved(y)
        print n, " ", a, " ", digest(y)
    endfor
    y = mod(numbers(2,150), 2)
    recurrence(y)
    print digest(floor(y*64))
    for d = -2..2
        y = mod(numbers(2,150), 3)
        by_distance(y, d)
        print d, " ", digest(floor(y))
    endfor
    for k = 0..2
        y = sign(mod(numbers(3,140), 3) - 1)
        y[:,0] = 1
        rows_of(y, 1, k)
        print k, " ", digest(mod(y, 64))
    endfor
    b = numbers(90,90)/64 + 4*eye(90)
    eliminated(b)
    print round(1000*b[89,0..4])
    print round(1000*b[89,85..89])
    l = numbers(90,90)/64
    l = l + transpose(l) + 9*eye(90)
    triangle(l)
    print round(1000*l[89,0..4])
    print round(1000*l[89,85..89])
    v = 1..100
    gathered(v, 70)
    print v[70]
    v = 1..100
    gathered(v, 0)
    print v[0]
    print digest(products(numbers(20,75)))
    [s, q] = both(numbers(4,130), 1..130, 1..4)
    print s[0..5], q
    x = numbers(3,100)
    x[1,50] = 0/0
    x[2,99] = 1/0
    high = [-100.0, -100.0, -100.0]
    low = [100.0, 100.0, 100.0]
    extremes(x, high, low)
    print high, low
    c = [2147483647, -5, 0]
    wrapped(int(numbers(3,100)), c)
    print c

    y = zeros(3,80)
    try
        into(y, numbers(3,80), 1..70, 80)
    catch error
        print "failed"
    endtry
    print digest(y), " ", y[0,68..71]
    y = zeros(2,80)
    try
        into(y, numbers(3,80), 1..80, 80)
    catch error
        print "failed"
    endtry
    print digest(y)
    z = zeros(3)
    onto(z, numbers(3,80), 7, 0)
    try
        onto(z, numbers(3,80), 7, 80)
    catch error
        print "failed"
    endtry
    try
        onto(z, numbers(3,80), 2, 90)
    catch error
        print "failed"
    endtry
    print z
    w = 1..80
    z = w + 0.0
    into(numbers(1,80), numbers(1,80), z, 80)
    w2 = numbers(2,80)
    into(w2, w2, z, 80)
    print digest(w2)
endfunction
