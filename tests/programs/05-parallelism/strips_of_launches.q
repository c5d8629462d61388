% Loops that read around their position what the loop before has written: strips of rows go through them in turn.

function y : mat = unsharp(x : mat'mirror, s : scalar)
    [M, N] = size(x)
    h : mat'mirror = zeros(M, N)
    v = zeros(M, N)
    y = zeros(M, N)
    for m = 0..M-1
        for n = 0..N-1
            h[m,n] = x[m,n-1] + 2*x[m,n] + x[m,n+1]
        endfor
    endfor
    for m = 0..M-1
        for n = 0..N-1
            v[m,n] = h[m-1,n] + 2*h[m,n] + h[m+1,n]
        endfor
    endfor
    for m = 0..M-1
        for n = 0..N-1
            y[m,n] = 16*x[m,n] + s*(16*x[m,n] - v[m,n])
        endfor
    endfor
endfunction

% The window is an argument, and the array clamps.
function y : mat = separable(x : mat'clamped, w : vec'unchecked, r : int)
    [M, N] = size(x)
    t : mat'clamped = zeros(M, N)
    y = zeros(M, N)
    for m = 0..M-1
        for n = 0..N-1
            s = 0.0
            for k = -r..r
                s += w[k+r] * x[m,n+k]
            endfor
            t[m,n] = s
        endfor
    endfor
    for m = 0..M-1
        for n = 0..N-1
            s = 0.0
            for k = -r..r
                s += w[k+r] * t[m+k,n]
            endfor
            y[m,n] = s
        endfor
    endfor
endfunction

% Functions of their own, between array expressions.
function [gx : mat, gy : mat] = gradients(x : mat'mirror)
    gx = zeros(size(x,0), size(x,1))
    gy = zeros(size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            gx[m,n] = x[m,n+1] - x[m,n-1]
            gy[m,n] = x[m+1,n] - x[m-1,n]
        endfor
    endfor
endfunction
function y : mat = box(x : mat'safe)
    y = zeros(size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 0.0
            for i = -1..1
                for j = -1..1
                    s += x[m+i,n+j]
                endfor
            endfor
            y[m,n] = s
        endfor
    endfor
endfunction
function r : mat = corners(x : mat)
    [gx, gy] = gradients(x)
    a = box(gx .* gx)
    b = box(gx .* gy)
    c = box(gy .* gy)
    r = a + c - 2 * b
endfunction

% Half as many rows behind, borders that stay zero between, and a line that is no row.
function y : mat = halved(x : mat'mirror)
    [M, N] = size(x)
    t : mat'mirror = zeros(M, N)
    y = zeros(int(M/2), N)
    for m = 1..M-2
        for n = 1..N-2
            t[m,n] = x[m-1,n] + x[m+1,n] + x[m,n-1] + x[m,n+1]
        endfor
    endfor
    for m = 0..int(M/2)-1
        for n = 0..N-1
            y[m,n] = t[2*m-1,n] + 2*t[2*m,n] + t[2*m+1,n]
        endfor
    endfor
endfunction
function y : vec = filtered(x : vec'mirror)
    t : vec'mirror = zeros(numel(x))
    y = zeros(numel(x))
    for n = 0..numel(x)-1
        t[n] = x[n-1] + x[n+1] - x[n]
    endfor
    for n = 0..numel(x)-1
        y[n] = t[n-2] + t[n+2]
    endfor
endfunction
function y : cube = coloured(x : cube'mirror)
    [M, N, C] = size(x)
    t : cube'mirror = zeros(M, N, C)
    y = zeros(M, N, C)
    for m = 0..M-1
        for n = 0..N-1
            for c = 0..C-1
                t[m,n,c] = x[m,n-1,c] + x[m,n+1,c]
            endfor
        endfor
    endfor
    for m = 0..M-1
        for n = 0..N-1
            for c = 0..C-1
                y[m,n,c] = t[m-1,n,c] + t[m+1,n,c]
            endfor
        endfor
    endfor
endfunction

% What the caller's arrays share: `y` is written in place, so the second loop must not read what it has changed.
function [] = in_place(x : mat'mirror, y : mat)
    [M, N] = size(x)
    t : mat'mirror = zeros(M, N)
    for m = 0..M-1
        for n = 0..N-1
            t[m,n] = x[m-1,n] + x[m+1,n]
        endfor
    endfor
    for m = 0..M-1
        for n = 0..N-1
            y[m,n] = t[m-1,n] - t[m+1,n]
        endfor
    endfor
endfunction

function x : mat = image(M : int, N : int)
    x = zeros(M, N)
    for m = 0..M-1
        for n = 0..N-1
            x[m,n] = mod(7*m + 3*n + m*n, 16)
        endfor
    endfor
endfunction
function [] = summary(name : string, y : mat)
    w = 0.0
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            w += mod(m + 2*n, 5) * y[m,n]
        endfor
    endfor
    print name, " ", sum(y), " ", w, " ", y[0,0], " ", y[size(y,0)-1,size(y,1)-1]
endfunction

sizes = [[150, 40], [37, 9], [8, 5], [3, 3], [1, 4]]
for k = 0..4
    x = image(sizes[k,0], sizes[k,1])
    print sizes[k,0], " x ", sizes[k,1]
    summary("unsharp", unsharp(x, 2))
    summary("separable", separable(x, [1,2,3,2,1], 2))
    summary("corners", corners(x))
    if sizes[k,0] > 1
        summary("halved", halved(x))
    endif
    y = copy(x)
    in_place(x, y)
    summary("apart", y)
    in_place(y, y)
    summary("in place", y)
endfor
v = filtered(mod(7*(0..99), 16))
print sum(v), " ", v[0], " ", v[50], " ", v[99]
c = zeros(20, 6, 3)
for m = 0..19
    for n = 0..5
        c[m,n,:] = [m, n, m*n]
    endfor
endfor
d = coloured(c)
print sum(d), " ", d[0,0,:], " ", d[19,5,:], " ", d[9,3,:]
