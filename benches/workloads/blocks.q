% the cosine transform of blocks of 8x8, a block per position
function y : mat = dct_blocks(x : mat, c : mat(8,8))
    y = uninit(size(x))
    for m = 0..int(size(x,0)/8)-1
        for n = 0..int(size(x,1)/8)-1
            t = zeros(8,8)
            for i = 0..7
                for j = 0..7
                    s = 0.0
                    for k = 0..7
                        s += c[i,k]*x[8*m+k,8*n+j]
                    endfor
                    t[i,j] = s
                endfor
            endfor
            for i = 0..7
                for j = 0..7
                    s = 0.0
                    for k = 0..7
                        s += t[i,k]*c[j,k]
                    endfor
                    y[8*m+i,8*n+j] = s
                endfor
            endfor
        endfor
    endfor
endfunction

% a fit of a parabola through the column of each position, by moments
function y : mat = parabola(x : mat'mirror)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            t = zeros(3)
            for d = -4..4
                p = 1.0
                for k = 0..2
                    t[k] += p*x[m+d,n]
                    p *= d
                endfor
            endfor
            y[m,n] = (59*t[0] - 5*t[2])/231
        endfor
    endfor
endfunction

% the orientation of each 8x8 neighbourhood, by a small histogram
function y : imat = orientation(x : mat'mirror)
    y = uninit[int](size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            h = zeros(8)
            for dy = -2..2
                for dx = -2..2
                    gx = x[m+dy,n+dx+1] - x[m+dy,n+dx-1]
                    gy = x[m+dy+1,n+dx] - x[m+dy-1,n+dx]
                    k = (gx > 0 ? 1 : 0) + (gy > 0 ? 2 : 0) + (abs(gx) > abs(gy) ? 4 : 0)
                    h[k] += abs(gx) + abs(gy)
                endfor
            endfor
            best = 0
            for k = 1..7
                if h[k] > h[best]
                    best = k
                endif
            endfor
            y[m,n] = best
        endfor
    endfor
endfunction

% the eigenvalue of the structure of each neighbourhood, with small matrices
function y : mat = structure(x : mat'mirror)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = zeros(2,2)
            for d = -2..2
                g = [x[m,n+d+1]-x[m,n+d-1], x[m+1,n+d]-x[m-1,n+d]]
                for i = 0..1
                    for j = 0..1
                        s[i,j] += g[i]*g[j]
                    endfor
                endfor
            endfor
            y[m,n] = s[0,0]*s[1,1] - s[0,1]*s[1,0]
        endfor
    endfor
endfunction
