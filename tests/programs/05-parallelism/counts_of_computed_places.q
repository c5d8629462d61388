% Histograms and sums by label: places that are computed by vectors, elements that are changed one by one.

% Counts of the values of an image.
function h : vec = counts(x : mat)
    h = zeros(32)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            h[int(x[m,n])] += 1
        endfor
    endfor
endfunction

% Of three values together, with pixels of any number of channels from three on.
function h : cube = colors(x : cube)
    h = zeros(2,2,2)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            h[int(x[m,n,0]/16), int(x[m,n,1]/16), int(x[m,n,2]/16)] += 1
        endfor
    endfor
endfunction

% For each channel, whose number is known here, or when the program runs.
function h : mat = three_channels(x : cube)
    h = zeros(3,32)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for c = 0..2
                h[c, int(x[m,n,c])] += 1
            endfor
        endfor
    endfor
endfunction
function h : mat = channels(x : cube)
    h = zeros(size(x,2),32)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for c = 0..size(x,2)-1
                h[c, int(x[m,n,c])] += 1
            endfor
        endfor
    endfor
endfunction

% All elements of an image, which are one long row.
function h : vec = all_channels(x : cube)
    h = zeros(32)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for c = 0..size(x,2)-1
                h[int(x[m,n,c])] += 2
            endfor
        endfor
    endfor
endfunction

% Weights, branches, and a place that changes between two updates.
function h : vec = branches(x : mat, w : mat)
    h = zeros(64)
    for m = 0..size(x,0)-1
        for n = 1..size(x,1)-1
            k = int(x[m,n])
            if w[m,n] > 2
                h[k] += w[m,n]
            else
                h[2*k] += w[m,n-1]
            endif
            k = k + 32
            h[k] += 1
        endfor
    endfor
endfunction

% Sums of pixels by label.
function s : mat = by_label(x : cube, l : mat[int])
    s = zeros(4,3)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for c = 0..2
                s[l[m,n], c] += x[m,n,c]
            endfor
        endfor
    endfor
endfunction

% A kernel whose indices may be outside: the others count.
function h : vec = guarded(x : mat)
    h = zeros(8)
    {!parallel for}
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            k = int(x[m,n])
            if k >= 0 && k < 8
                h[k] += 1
            endif
        endfor
    endfor
endfunction

% The sum of three channels of those that there are.
function y : mat = luma(x : cube)
    y = zeros(size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = x[m,n,0] + 2*x[m,n,1] + 4*x[m,n,2]
        endfor
    endfor
endfunction

% Sums of few numbers, whose count is known when the program runs: the nearest of some centres, and how many points it has.
function [best : vec[int], sums : mat] = nearest(p : mat, centers : mat)
    best = vec[int](size(p,0))
    sums = zeros(size(centers,0), size(p,1))
    for i = 0..size(p,0)-1
        least = 1e30
        arg = 0
        for k = 0..size(centers,0)-1
            d = 0.0
            for j = 0..size(p,1)-1
                d += (p[i,j] - centers[k,j])^2
            endfor
            if d < least
                least = d
                arg = k
            endif
        endfor
        best[i] = arg
        for j = 0..size(p,1)-1
            sums[arg,j] += p[i,j]
        endfor
    endfor
endfunction

function x : cube = image(M : int, N : int, C : int)
    x = zeros(M,N,C)
    for m = 0..M-1
        for n = 0..N-1
            for c = 0..C-1
                x[m,n,c] = mod(7*m + 3*n + 5*c + m*n, 32)
            endfor
        endfor
    endfor
endfunction

function v : scalar = check(a : ??)
    v = 0
    for k = 0..numel(a)-1
        v += a[k] * (k + 1)
    endfor
endfunction

function [] = fails(x : mat, what : string)
    try
        h = counts(x)
        print what, " counted ", sum(h)
    catch ex
        print what, " is refused"
    endtry
endfunction

function [] = main()
    for N = [1, 3, 8, 37, 70]
        x3 = image(9, N, 3)
        x4 = image(9, N, 4)
        g = zeros(9, N)
        w = zeros(9, N)
        l = zeros(9, N)
        for m = 0..8
            for n = 0..N-1
                g[m,n] = mod(5*m + n, 30)
                w[m,n] = mod(m + 2*n, 5)
                l[m,n] = mod(m*n, 4)
            endfor
        endfor
        print "columns ", N
        print reshape(counts(g), [1, 32])
        print reshape(colors(x3), [1, 8]), reshape(colors(x4), [1, 8])
        print reshape(three_channels(x3), [1, 96])
        print sum(three_channels(x3) .* channels(x3)), " ", sum(channels(x4)), " ", sum(channels(image(2, N, 19)))
        print reshape(all_channels(x4), [1, 32])
        print reshape(branches(g, w), [1, 64])
        print by_label(x3, int(l))
        print reshape(guarded(g - 3), [1, 8])
        print sum(luma(x3)), " ", sum(luma(x4)), " ", sum(luma(image(9, N, 7))), " ", sum(luma(image(9, N, 20)))
    endfor
    for D = [1, 3, 8, 11, 40]
        p = zeros(50, D)
        for i = 0..49
            for j = 0..D-1
                p[i,j] = mod(3*i + 5*j, 17)
            endfor
        endfor
        [best, sums] = nearest(p, p[0..4,:])
        print "dimensions ", D, " ", sum(best), " ", sum(sums)
    endfor
    g = zeros(5, 40)
    fails(g, "zero")
    g[3,33] = -1
    fails(g, "a negative place")
    g[3,33] = 32
    fails(g, "a place behind the end")
    g[3,33] = 1e20
    fails(g, "a large number")
    g[3,33] = 31.9
    fails(g, "a number that is no integer")
endfunction
