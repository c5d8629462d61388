% Vectors of elements that cross the border of an array: where a condition keeps some lanes inside, those count.

% The least sum along a path from the top, and that path.
function [cost : mat, path : ivec] = seam(e : mat)
    [M, N] = size(e)
    cost = copy(e)
    for m = 1..M-1
        for n = 0..N-1
            b = cost[m-1,n]
            if n > 0
                b = min(b, cost[m-1,n-1])
            endif
            if n < N-1
                b = min(b, cost[m-1,n+1])
            endif
            cost[m,n] += b
        endfor
    endfor
    path = zeros[int](M)
    path[M-1] = argmin(cost[M-1,:])
    for m = M-2..-1..0
        n = path[m+1]
        at = n
        if n > 0 && cost[m,n-1] < cost[m,at]
            at = n-1
        endif
        if n < N-1 && cost[m,n+1] < cost[m,at]
            at = n+1
        endif
        path[m] = at
    endfor
endfunction

function y : mat = checkered(x0 : mat)
    y = copy(x0)
    for r = 0..1
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            if mod(m+n,2) == r
                s = y[m,n]
                if m > 0
                    s += y[m-1,n]
                endif
                if n > 0
                    s += y[m,n-1]
                endif
                if m < size(y,0)-1
                    s += y[m+1,n]
                endif
                if n < size(y,1)-1
                    s += y[m,n+1]
                endif
                y[m,n] = mod(s, 31)
            endif
        endfor
    endfor
    endfor
endfunction

function y : mat = above(x : mat)
    y = copy(x)
    for m = 1..size(y,0)-1
        {!parallel for}
        for n = 0..size(y,1)-1
            s = y[m,n]
            if n > 0
                s += y[m-1,n-1]
            endif
            if n > 4
                s += y[m-1,n-5]
            endif
            y[m,n] = mod(s, 31)
        endfor
    endfor
endfunction

function y : mat = below(x : mat)
    y = copy(x)
    M = size(y,0)
    for m = M-2..-1..0
        for n = 0..size(y,1)-1
            s = y[m,n]
            if n + 1 < size(y,1)
                s += y[m+1,n+1]
            endif
            y[m,n] = mod(s, 31)
        endfor
    endfor
endfunction

function y : mat = diagonal(x : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = x[m,n]
            if m > 0 && n > 0
                s += x[m-1,n-1]
            endif
            if m + 1 < size(x,0) && n + 1 < size(x,1)
                s += x[m+1,n+1]
            endif
            y[m,n] = s
        endfor
    endfor
endfunction

function [] = main()
    for n = [6, 40, 20000]
        x = zeros(3, n)
        for k = 0..n-1
            for m = 0..2
                x[m,k] = mod((k + 7 * m) * 37, 101)
            endfor
        endfor
        [c, p] = seam(x)
        e = checkered(x)
        a = above(x)
        b = below(x)
        d = diagonal(x)
        print sum(c), " ", p, " ", sum(e), " ", sum(a), " ", sum(b), " ", sum(d)
        print c[2,0..5], e[2,0..5], a[2,0..5], b[0,0..5], d[1,0..5]
        print c[2,n-6..n-1], e[2,n-6..n-1], a[2,n-6..n-1], b[0,n-6..n-1], d[1,n-6..n-1]
    endfor
endfunction
