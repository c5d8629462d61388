% programs that label, search, follow and rearrange images

% distances to zeros, by two passes of steps 3 and 4
function d : imat = chamfer(x : mat[uint8])
    [M, N] = size(x)
    d = uninit[int](M+2, N+2)
    for m = 0..M+1
        for n = 0..N+1
            d[m,n] = 100000
        endfor
    endfor
    for m = 1..M
        for n = 1..N
            if x[m-1,n-1] == 0
                d[m,n] = 0
            else
                d[m,n] = min(min(d[m-1,n-1] + 4, d[m-1,n] + 3), min(d[m-1,n+1] + 4, d[m,n-1] + 3))
            endif
        endfor
    endfor
    for m = M..-1..1
        for n = N..-1..1
            d[m,n] = min(min(min(d[m+1,n-1] + 4, d[m+1,n] + 3), min(d[m+1,n+1] + 4, d[m,n+1] + 3)), d[m,n])
        endfor
    endfor
    d = d[1..M,1..N]
endfunction

% connected parts by 4 neighbours: a union of labels
function [y : imat, count : int] = labels(x : mat[uint8])
    [M, N] = size(x)
    y = zeros[int](M, N)
    parent = zeros[int](int(M*N/2) + 2)
    next = 0
    for m = 0..M-1
        for n = 0..N-1
            if x[m,n] > 0
                a = 0
                b = 0
                if m > 0
                    a = y[m-1,n]
                endif
                if n > 0
                    b = y[m,n-1]
                endif
                if a == 0 && b == 0
                    next += 1
                    parent[next] = next
                    y[m,n] = next
                else
                    if a == 0
                        a = b
                    elseif b == 0
                        b = a
                    endif
                    while parent[a] != a
                        a = parent[a]
                    endwhile
                    while parent[b] != b
                        b = parent[b]
                    endwhile
                    if a < b
                        parent[b] = a
                        y[m,n] = a
                    else
                        parent[a] = b
                        y[m,n] = b
                    endif
                endif
            endif
        endfor
    endfor
    count = 0
    for i = 1..next
        if parent[i] == i
            count += 1
            parent[i] = count
        else
            parent[i] = parent[parent[i]]
        endif
    endfor
    for m = 0..M-1
        for n = 0..N-1
            y[m,n] = parent[y[m,n]]
        endfor
    endfor
endfunction

% colours of a Bayer mosaic (red first), bilinear
function y : cube(:,:,3) = demosaic(x : mat'mirror)
    y = uninit(size(x,0), size(x,1), 3)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            c = x[m,n]
            h = (x[m,n-1] + x[m,n+1])/2
            v = (x[m-1,n] + x[m+1,n])/2
            d = (x[m-1,n-1] + x[m-1,n+1] + x[m+1,n-1] + x[m+1,n+1])/4
            if mod(m, 2) == 0
                if mod(n, 2) == 0
                    y[m,n,0] = c
                    y[m,n,1] = (h + v)/2
                    y[m,n,2] = d
                else
                    y[m,n,0] = h
                    y[m,n,1] = c
                    y[m,n,2] = v
                endif
            else
                if mod(n, 2) == 0
                    y[m,n,0] = v
                    y[m,n,1] = c
                    y[m,n,2] = h
                else
                    y[m,n,0] = d
                    y[m,n,1] = (h + v)/2
                    y[m,n,2] = c
                endif
            endif
        endfor
    endfor
endfunction

function y : mat = rotated(x : mat'safe, angle : scalar)
    [M, N] = size(x)
    y = uninit(M, N)
    c = cos(angle)
    s = sin(angle)
    for m = 0..M-1
        for n = 0..N-1
            p = c*(m - M/2) - s*(n - N/2) + M/2
            q = s*(m - M/2) + c*(n - N/2) + N/2
            i = int(floor(p))
            j = int(floor(q))
            a = p - i
            b = q - j
            y[m,n] = (1-a)*((1-b)*x[i,j] + b*x[i,j+1]) + a*((1-b)*x[i+1,j] + b*x[i+1,j+1])
        endfor
    endfor
endfunction

% motion between two images, one step of least squares in windows
function [u : mat, v : mat] = lucas_kanade(x : mat'mirror, y : mat'mirror, r : int)
    u = uninit(size(x))
    v = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            a = 0.0
            b = 0.0
            c = 0.0
            p = 0.0
            q = 0.0
            for i = -r..r
                for j = -r..r
                    gx = (x[m+i,n+j+1] - x[m+i,n+j-1])/2
                    gy = (x[m+i+1,n+j] - x[m+i-1,n+j])/2
                    gt = y[m+i,n+j] - x[m+i,n+j]
                    a += gx*gx
                    b += gx*gy
                    c += gy*gy
                    p += gx*gt
                    q += gy*gt
                endfor
            endfor
            d = a*c - b*b + 1
            u[m,n] = (b*q - c*p)/d
            v[m,n] = (b*p - a*q)/d
        endfor
    endfor
endfunction

function y : mat = match_squares(x : mat, t : mat)
    h = size(t,0)
    w = size(t,1)
    y = uninit(size(x,0)-h+1, size(x,1)-w+1)
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            s = 0.0
            for i = 0..h-1
                for j = 0..w-1
                    s += (x[m+i,n+j] - t[i,j])^2
                endfor
            endfor
            y[m,n] = s
        endfor
    endfor
endfunction

function y : mat = match_slices(x : mat, t : mat)
    h = size(t,0)
    w = size(t,1)
    y = uninit(size(x,0)-h+1, size(x,1)-w+1)
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            y[m,n] = sum((x[m..m+h-1,n..n+w-1] - t).^2)
        endfor
    endfor
endfunction

% correlation normalised by the energy of the window
function y : mat = match_correlation(x : mat, t : mat)
    h = size(t,0)
    w = size(t,1)
    y = uninit(size(x,0)-h+1, size(x,1)-w+1)
    e = sum(t.^2)
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            s = 0.0
            q = 0.0
            for i = 0..h-1
                for j = 0..w-1
                    s += x[m+i,n+j]*t[i,j]
                    q += x[m+i,n+j]^2
                endfor
            endfor
            y[m,n] = s/sqrt(q*e)
        endfor
    endfor
endfunction

% votes for lines through the points of an edge image
function h : imat = hough(x : mat[uint8], angles : int)
    [M, N] = size(x)
    far = int(ceil(sqrt(M^2 + N^2)))
    h = zeros[int](2*far + 1, angles)
    for m = 0..M-1
        for n = 0..N-1
            if x[m,n] > 0
                for k = 0..angles-1
                    t = k*pi/angles
                    d = int(round(n*cos(t) + m*sin(t)))
                    h[d + far, k] += 1
                endfor
            endif
        endfor
    endfor
endfunction

% signs of the differences to 8 neighbours
function y : mat[uint8] = lbp(x : mat[uint8])
    [M, N] = size(x)
    y = zeros[uint8](M, N)
    for m = 1..M-2
        for n = 1..N-2
            c = x[m,n]
            k = 0
            k += x[m-1,n-1] >= c ? 1 : 0
            k += x[m-1,n] >= c ? 2 : 0
            k += x[m-1,n+1] >= c ? 4 : 0
            k += x[m,n+1] >= c ? 8 : 0
            k += x[m+1,n+1] >= c ? 16 : 0
            k += x[m+1,n] >= c ? 32 : 0
            k += x[m+1,n-1] >= c ? 64 : 0
            k += x[m,n-1] >= c ? 128 : 0
            y[m,n] = k
        endfor
    endfor
endfunction

% histograms of 9 directions in cells of 8x8
function h : cube = hog(x : mat'clamped)
    h = zeros(int(size(x,0)/8), int(size(x,1)/8), 9)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            gx = x[m,n+1] - x[m,n-1]
            gy = x[m+1,n] - x[m-1,n]
            a = atan2(gy, gx)
            if a < 0
                a += pi
            endif
            b = min(int(a*9/pi), 8)
            h[int(m/8),int(n/8),b] += sqrt(gx^2 + gy^2)
        endfor
    endfor
endfunction

% the same by cells
function h : cube = hog_cells(x : mat'clamped)
    h = zeros(int(size(x,0)/8), int(size(x,1)/8), 9)
    for p = 0..size(h,0)-1
        for q = 0..size(h,1)-1
            c = zeros(9)
            for m = 8*p..8*p+7
                for n = 8*q..8*q+7
                    gx = x[m,n+1] - x[m,n-1]
                    gy = x[m+1,n] - x[m-1,n]
                    a = atan2(gy, gx)
                    if a < 0
                        a += pi
                    endif
                    c[min(int(a*9/pi), 8)] += sqrt(gx^2 + gy^2)
                endfor
            endfor
            h[p,q,:] = c
        endfor
    endfor
endfunction

% the least energy of a path from the top, and that path
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
