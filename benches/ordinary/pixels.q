% colours and elements of images

function y : cube(:,:,3) = hsv(x : cube(:,:,3))
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            r = x[m,n,0]
            g = x[m,n,1]
            b = x[m,n,2]
            v = max(max(r, g), b)
            d = v - min(min(r, g), b)
            h = 0.0
            if d > 0
                if v == r
                    h = (g - b)/d
                elseif v == g
                    h = 2 + (b - r)/d
                else
                    h = 4 + (r - g)/d
                endif
            endif
            if h < 0
                h += 6
            endif
            y[m,n,0] = 60*h
            y[m,n,1] = v > 0 ? d/v : 0.0
            y[m,n,2] = v
        endfor
    endfor
endfunction

function y : mat = blend(a : mat, b : mat, t : mat)
    y = t .* a + (1 - t) .* b
endfunction

function y : cube[uint8] = blend_bytes(a : cube[uint8](:,:,3), b : cube[uint8](:,:,3), t : mat[uint8])
    y = uninit[uint8](size(a))
    for m = 0..size(a,0)-1
        for n = 0..size(a,1)-1
            w = int(t[m,n])
            for c = 0..2
                y[m,n,c] = int((w*a[m,n,c] + (255 - w)*b[m,n,c] + 127)/255)
            endfor
        endfor
    endfor
endfunction

function y : mat[uint8] = gamma_table(x : mat[uint8], g : scalar)
    t = uninit[uint8](256)
    for i = 0..255
        t[i] = uint8(round(255*(i/255)^g))
    endfor
    y = uninit[uint8](size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = t[x[m,n]]
        endfor
    endfor
endfunction

function y : cube[uint8] = gamma_cube(x : cube[uint8], g : scalar)
    t = uint8(round(255*((0..255)/255).^g))
    y = reshape(t[reshape(x, [numel(x)])], size(x))
endfunction

% centres of the colours of an image
function [c : mat, l : imat] = kmeans(x : cube(:,:,3), c0 : mat, steps : int)
    c = copy(c0)
    k = size(c,0)
    l = zeros[int](size(x,0), size(x,1))
    for t = 1..steps
        s = zeros(k, 3)
        count = zeros(k)
        for m = 0..size(x,0)-1
            for n = 0..size(x,1)-1
                best = 1e30
                id = 0
                for i = 0..k-1
                    d = (x[m,n,0] - c[i,0])^2 + (x[m,n,1] - c[i,1])^2 + (x[m,n,2] - c[i,2])^2
                    if d < best
                        best = d
                        id = i
                    endif
                endfor
                l[m,n] = id
                count[id] += 1
                for j = 0..2
                    s[id,j] += x[m,n,j]
                endfor
            endfor
        endfor
        for i = 0..k-1
            for j = 0..2
                c[i,j] = s[i,j]/max(count[i], 1)
            endfor
        endfor
    endfor
endfunction

function y : mat[uint8] = gray_bytes(x : cube[uint8](:,:,3))
    y = uninit[uint8](size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = uint8(0.299*x[m,n,0] + 0.587*x[m,n,1] + 0.114*x[m,n,2] + 0.5)
        endfor
    endfor
endfunction

function y : mat[uint8] = threshold(x : mat[uint8], t : int)
    y = uninit[uint8](size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            if x[m,n] > t
                y[m,n] = 255
            else
                y[m,n] = 0
            endif
        endfor
    endfor
endfunction

function y : mat[uint8] = absolute_difference(a : mat[uint8], b : mat[uint8])
    y = uninit[uint8](size(a))
    for m = 0..size(a,0)-1
        for n = 0..size(a,1)-1
            y[m,n] = abs(int(a[m,n]) - int(b[m,n]))
        endfor
    endfor
endfunction

% a lens: pixels are moved outwards, the nearest is taken
function y : mat[uint8] = lens(x : mat[uint8]'safe, k : scalar)
    [M, N] = size(x)
    y = uninit[uint8](M, N)
    for m = 0..M-1
        for n = 0..N-1
            p = (m - M/2)/M
            q = (n - N/2)/M
            r = 1 + k*(p^2 + q^2)
            y[m,n] = x[int(round(p*r*M + M/2)), int(round(q*r*M + N/2))]
        endfor
    endfor
endfunction

% blocks of 8x8 by products of matrices
function y : mat = dct_products(x : mat, c : mat(8,8))
    y = uninit(size(x))
    for m = 0..8..size(x,0)-8
        for n = 0..8..size(x,1)-8
            y[m..m+7,n..n+7] = c*x[m..m+7,n..n+7]*transpose(c)
        endfor
    endfor
endfunction

% the mean and the deviation of each 16x16 tile
function [a : mat, d : mat] = tile_statistics(x : mat)
    a = uninit(int(size(x,0)/16), int(size(x,1)/16))
    d = uninit(size(a))
    for m = 0..size(a,0)-1
        for n = 0..size(a,1)-1
            t = x[16*m..16*m+15, 16*n..16*n+15]
            a[m,n] = mean(t)
            d[m,n] = sqrt(mean((t - mean(t)).^2))
        endfor
    endfor
endfunction
