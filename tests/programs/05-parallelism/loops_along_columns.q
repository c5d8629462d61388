% Loops that go along columns, loops in the order of columns, and loops that cross the rows of an array. Numbers are small integers, so
% that sums are exact.

function x : mat = numbers(M : int, N : int)
    x = uninit(M, N)
    for n = 0..N-1
        for m = 0..M-1
            x[m,n] = mod(7*m + 3*n + m*n, 11) - 5
        endfor
    endfor
endfunction

% one number that changes when any element moves
function s : scalar = digest(x : mat)
    s = 0.0
    for n = 0..size(x,1)-1
        for m = 0..size(x,0)-1
            s += x[m,n]*(mod(5*m + n, 13) + 1)
        endfor
    endfor
endfunction

function y : mat = sums_above(x : mat)
    y = uninit(size(x))
    for n = 0..size(x,1)-1
        s = 0.0
        for m = 0..size(x,0)-1
            s += x[m,n]
            y[m,n] = s
        endfor
    endfor
endfunction

% in place, from the element above
function [] = add_above(y : mat)
    for n = 0..size(y,1)-1
        for m = 1..size(y,0)-1
            y[m,n] += y[m-1,n]
        endfor
    endfor
endfunction

% from above and from below, in place
function y : mat = there_and_back(x : mat)
    y = copy(x)
    M = size(x,0)
    for n = 0..size(x,1)-1
        for m = 1..M-1
            y[m,n] = y[m,n] - y[m-1,n]
        endfor
        for m = 2..M
            y[M-m,n] = y[M-m,n] + y[M-m+1,n]
        endfor
    endfor
endfunction

% several elements of a column, some under conditions, and some that were written before
function y : mat = mixed(x : mat)
    y = zeros(size(x))
    M = size(x,0)
    for n = 0..size(x,1)-1
        for m = 0..M-2
            y[m,n] = x[m,n]
            y[m+1,n] = y[m,n] + 1
            if x[m,n] > 0
                y[m,n] = y[m+1,n] * 2
                y[m+1,n] = y[m,n] - 1
            endif
            if y[m,n] > 3
                y[m,n] = 3
            endif
        endfor
    endfor
endfunction

% the row depends on the column
function y : mat = shifted_columns(x : mat, by : ivec)
    y = zeros(size(x))
    M = size(x,0)
    for n = 0..size(x,1)-1
        for m = 0..M-1
            y[mod(m + by[n], M),n] += x[m,n]
        endfor
    endfor
endfunction

% a loop that ends where the column says
function y : mat = until_negative(x : mat)
    y = copy(x)
    for n = 0..size(x,1)-1
        m = 0
        while m < size(x,0) && y[m,n] >= 0
            y[m,n] = y[m,n] + 10
            m += 1
        endwhile
    endfor
endfunction

function y : cube = along_planes(x : cube)
    y = copy(x)
    for n = 0..size(x,1)-1
        for m = 1..size(x,0)-1
            for k = 0..size(x,2)-1
                y[m,n,k] += 2*y[m-1,n,k]
            endfor
        endfor
    endfor
endfunction

function y : mat = turned(x : mat)
    y = uninit(size(x,1), size(x,0))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[n,m] = x[m,n]
        endfor
    endfor
endfunction

function y : cube = planes_first(x : cube)
    y = uninit(size(x,2), size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for c = 0..size(x,2)-1
                y[c,m,n] = x[m,n,c]
            endfor
        endfor
    endfor
endfunction

function y : mat = plane(x : cube, k : int)
    y = uninit(size(x,1), size(x,2))
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            y[m,n] = x[k,m,n]
        endfor
    endfor
endfunction

function y : mat = crossed(x : mat'clamped)
    y = uninit(size(x,1), size(x,0))
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            y[m,n] = x[n-1,m] + 2*x[n,m+1]
        endfor
    endfor
endfunction

function [] = too_far(x : mat, y : mat)
    for n = 0..size(y,1)-1
        for m = 0..size(y,0)
            y[m,n] = x[mod(m, size(x,0)),n] + 1
        endfor
    endfor
endfunction

function [] = main()
    for extents = {[1,1], [1,40], [7,1], [5,17], [37,64], [20,131]}
        x = numbers(int(extents[0]), int(extents[1]))
        by = uninit(size(x,1))
        for n = 0..size(x,1)-1
            by[n] = mod(3*n, 5)
        endfor
        z = copy(x)
        add_above(z)
        print digest(x), " ", digest(sums_above(x)), " ", digest(z), " ", digest(there_and_back(x)), " ", digest(mixed(x))
        print digest(shifted_columns(x, int(by))), " ", digest(until_negative(x)), " ", digest(turned(x)), " ", digest(crossed(x))
        c = uninit(size(x,0), size(x,1), 3)
        c[:,:,0] = x
        c[:,:,1] = 2*x
        c[:,:,2] = x + 1
        p = planes_first(c)
        a = along_planes(c)
        print digest(plane(p, 0)), " ", digest(plane(p, 2)), " ", max(a), " ", min(a)
    endfor
    x = numbers(4, 70)
    try
        too_far(x, x + 0)
    catch
        print "an index was outside"
    endtry
endfunction
