% filters of gray images

function y : mat = gauss3(x : mat'mirror)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = (x[m-1,n-1] + 2*x[m-1,n] + x[m-1,n+1] + 2*x[m,n-1] + 4*x[m,n] + 2*x[m,n+1] + x[m+1,n-1] + 2*x[m+1,n] + x[m+1,n+1])/16
        endfor
    endfor
endfunction

function y : mat = gauss5(x : mat'mirror)
    w = [1.0, 4.0, 6.0, 4.0, 1.0]/16
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 0.0
            for i = -2..2
                for j = -2..2
                    s += w[i+2]*w[j+2]*x[m+i,n+j]
                endfor
            endfor
            y[m,n] = s
        endfor
    endfor
endfunction

function y : mat = unsharp(x : mat, amount : scalar)
    y = min(max(x + amount*(x - gauss5(x)), 0), 255)
endfunction

function [mag : mat, dir : imat] = gradient(x : mat'mirror)
    mag = uninit(size(x))
    dir = uninit[int](size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            gx = x[m-1,n+1] + 2*x[m,n+1] + x[m+1,n+1] - x[m-1,n-1] - 2*x[m,n-1] - x[m+1,n-1]
            gy = x[m+1,n-1] + 2*x[m+1,n] + x[m+1,n+1] - x[m-1,n-1] - 2*x[m-1,n] - x[m-1,n+1]
            mag[m,n] = sqrt(gx^2 + gy^2)
            if abs(gy) < 0.4142*abs(gx)
                dir[m,n] = 0
            elseif abs(gx) < 0.4142*abs(gy)
                dir[m,n] = 2
            elseif gx*gy > 0
                dir[m,n] = 1
            else
                dir[m,n] = 3
            endif
        endfor
    endfor
endfunction

% edges: greatest along the gradient, and above a threshold
function y : mat[uint8] = edges(x : mat, low : scalar)
    [g, dir] = gradient(gauss3(x))
    mag : mat'safe = g
    y = uninit[uint8](size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            a = 0.0
            b = 0.0
            match dir[m,n] with
            | 0 ->
                a = mag[m,n-1]
                b = mag[m,n+1]
            | 1 ->
                a = mag[m-1,n-1]
                b = mag[m+1,n+1]
            | 2 ->
                a = mag[m-1,n]
                b = mag[m+1,n]
            | _ ->
                a = mag[m-1,n+1]
                b = mag[m+1,n-1]
            endmatch
            c = mag[m,n]
            if c > low && c >= a && c > b
                y[m,n] = 255
            else
                y[m,n] = 0
            endif
        endfor
    endfor
endfunction

function h : ivec = counts(x : mat[uint8])
    h = zeros[int](256)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            h[x[m,n]] += 1
        endfor
    endfor
endfunction

function [y : mat[uint8], level : int] = otsu(x : mat[uint8])
    h = counts(x)
    total = numel(x)
    all = 0.0
    for i = 0..255
        all += i*h[i]
    endfor
    level = 0
    most = -1.0
    below = 0.0
    count = 0.0
    for i = 0..255
        count += h[i]
        below += i*h[i]
        if count > 0 && count < total
            d = below/count - (all - below)/(total - count)
            v = count/total*(1 - count/total)*d^2
            if v > most
                most = v
                level = i
            endif
        endif
    endfor
    y = uninit[uint8](size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = x[m,n] > level ? 255 : 0
        endfor
    endfor
endfunction

function y : mat[uint8] = equalise(x : mat[uint8])
    h = counts(x)
    c = cumsum(h)
    first = 0
    while h[first] == 0
        first += 1
    endwhile
    table = zeros[uint8](256)
    for i = first..255
        table[i] = uint8(round((c[i] - c[first])*255.0/(numel(x) - c[first])))
    endfor
    y = uninit[uint8](size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = table[x[m,n]]
        endfor
    endfor
endfunction

% equalisation in tiles, with the tables of four tiles interpolated
function y : mat = tiles_equalised(x : mat[uint8], tiles : int)
    th = int(size(x,0)/tiles)
    tw = int(size(x,1)/tiles)
    tables = zeros(tiles, tiles, 256)
    for a = 0..tiles-1
        for b = 0..tiles-1
            h = zeros(256)
            for m = a*th..a*th+th-1
                for n = b*tw..b*tw+tw-1
                    h[x[m,n]] += 1
                endfor
            endfor
            s = 0.0
            for i = 0..255
                s += h[i]
                tables[a,b,i] = s*255/(th*tw)
            endfor
        endfor
    endfor
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            p = (m + 0.5)/th - 0.5
            q = (n + 0.5)/tw - 0.5
            i = int(floor(p))
            j = int(floor(q))
            v = x[m,n]
            i0 = max(i, 0)
            j0 = max(j, 0)
            i1 = min(i+1, tiles-1)
            j1 = min(j+1, tiles-1)
            u = p - i
            w = q - j
            y[m,n] = (1-u)*((1-w)*tables[i0,j0,v] + w*tables[i0,j1,v]) + u*((1-w)*tables[i1,j0,v] + w*tables[i1,j1,v])
        endfor
    endfor
endfunction

% the median of 3x3 by sorting
function y : mat = median3(x : mat'mirror)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = median(reshape(x[m-1..m+1,n-1..n+1], [9]))
        endfor
    endfor
endfunction

function y : mat = median5(x : mat'mirror)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            v = zeros(25)
            k = 0
            for i = -2..2
                for j = -2..2
                    v[k] = x[m+i,n+j]
                    k += 1
                endfor
            endfor
            y[m,n] = median(v)
        endfor
    endfor
endfunction

function y : mat[uint8] = median3_bytes(x : mat[uint8]'mirror)
    y = uninit[uint8](size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            v = zeros[uint8](9)
            k = 0
            for i = -1..1
                for j = -1..1
                    v[k] = x[m+i,n+j]
                    k += 1
                endfor
            endfor
            for i = 0..4
                for j = i+1..8
                    if v[j] < v[i]
                        t = v[i]
                        v[i] = v[j]
                        v[j] = t
                    endif
                endfor
            endfor
            y[m,n] = v[4]
        endfor
    endfor
endfunction

function y : mat[uint8] = erode(x : mat[uint8]'clamped, r : int)
    y = uninit[uint8](size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            v = x[m,n]
            for i = -r..r
                for j = -r..r
                    v = min(v, x[m+i,n+j])
                endfor
            endfor
            y[m,n] = v
        endfor
    endfor
endfunction

function y : mat[uint8] = dilate(x : mat[uint8]'clamped, r : int)
    y = uninit[uint8](size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            v = x[m,n]
            for i = -r..r
                for j = -r..r
                    v = max(v, x[m+i,n+j])
                endfor
            endfor
            y[m,n] = v
        endfor
    endfor
endfunction

function y : mat[uint8] = opened(x : mat[uint8], r : int)
    y = dilate(erode(x, r), r)
endfunction

% sums of a window by an integral image
function y : mat = box_integral(x : mat, r : int)
    [M, N] = size(x)
    s = zeros(M+1, N+1)
    for m = 0..M-1
        for n = 0..N-1
            s[m+1,n+1] = x[m,n] + s[m,n+1] + s[m+1,n] - s[m,n]
        endfor
    endfor
    y = uninit(M, N)
    for m = 0..M-1
        for n = 0..N-1
            a = max(m-r, 0)
            b = min(m+r+1, M)
            c = max(n-r, 0)
            d = min(n+r+1, N)
            y[m,n] = (s[b,d] - s[a,d] - s[b,c] + s[a,c])/((b-a)*(d-c))
        endfor
    endfor
endfunction

function y : mat = mean_window(x : mat'mirror, r : int)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 0.0
            for i = -r..r
                for j = -r..r
                    s += x[m+i,n+j]
                endfor
            endfor
            y[m,n] = s/(2*r+1)^2
        endfor
    endfor
endfunction

function q : mat = guided(p : mat, g : mat, r : int, small : scalar)
    mg = mean_window(g, r)
    mp = mean_window(p, r)
    cov = mean_window(g .* p, r) - mg .* mp
    v = mean_window(g .* g, r) - mg .* mg
    a = cov ./ (v + small)
    b = mp - a .* mg
    q = mean_window(a, r) .* g + mean_window(b, r)
endfunction

% diffusion that stops at edges, by Perona and Malik
function y : mat = diffusion(x : mat, steps : int, kappa : scalar, rate : scalar)
    y : mat'clamped = copy(x)
    for t = 1..steps
        z = uninit(size(x))
        for m = 0..size(x,0)-1
            for n = 0..size(x,1)-1
                c = y[m,n]
                u = y[m-1,n] - c
                d = y[m+1,n] - c
                l = y[m,n-1] - c
                r = y[m,n+1] - c
                z[m,n] = c + rate*(u*exp(-(u/kappa)^2) + d*exp(-(d/kappa)^2) + l*exp(-(l/kappa)^2) + r*exp(-(r/kappa)^2))
            endfor
        endfor
        y = z
    endfor
endfunction
