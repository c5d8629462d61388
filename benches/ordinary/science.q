% small programs of the sciences

% mean of the samples in each ring
function y : vec = azimint(x : vec, radius : vec, bins : int)
    y = zeros(bins)
    top = max(radius)
    for b = 0..bins-1
        low = top*b/bins
        high = top*(b+1)/bins
        s = 0.0
        c = 0
        for i = 0..numel(x)-1
            if radius[i] >= low && radius[i] < high
                s += x[i]
                c += 1
            endif
        endfor
        y[b] = s/c
    endfor
endfunction

% the same by counting once
function y : vec = azimint_counts(x : vec, radius : vec, bins : int)
    s = zeros(bins)
    c = zeros(bins)
    top = max(radius)
    for i = 0..numel(x)-1
        b = min(int(radius[i]*bins/top), bins-1)
        s[b] += x[i]
        c[b] += 1
    endfor
    y = s ./ c
endfunction

function d : vec = arc_distance(a1 : vec, b1 : vec, a2 : vec, b2 : vec)
    t = sin((a2 - a1)/2).^2 + cos(a1) .* cos(a2) .* sin((b2 - b1)/2).^2
    d = 2*atan2(sqrt(t), sqrt(1 - t))
endfunction

function d : vec = arc_distance_loop(a1 : vec, b1 : vec, a2 : vec, b2 : vec)
    d = uninit(numel(a1))
    for i = 0..numel(a1)-1
        t = sin((a2[i] - a1[i])/2)^2 + cos(a1[i])*cos(a2[i])*sin((b2[i] - b1[i])/2)^2
        d[i] = 2*atan2(sqrt(t), sqrt(1 - t))
    endfor
endfunction

function y : mat = go_fast(a : mat)
    s = 0.0
    for i = 0..size(a,0)-1
        s += tanh(a[i,i])
    endfor
    y = a + s
endfunction

function y : imat = compute(a : imat, b : imat, p : int, q : int, r : int)
    y = min(max(a, 2), 10)*p + b*q + r
endfunction

function y : mat = softmax_rows(x : mat)
    y = uninit(size(x))
    for i = 0..size(x,0)-1
        m = x[i,0]
        for j = 1..size(x,1)-1
            m = max(m, x[i,j])
        endfor
        s = 0.0
        for j = 0..size(x,1)-1
            y[i,j] = exp(x[i,j] - m)
            s += y[i,j]
        endfor
        for j = 0..size(x,1)-1
            y[i,j] /= s
        endfor
    endfor
endfunction

function y : mat = softmax_arrays(x : mat)
    e = exp(x - repmat(maxdim(x, 1), [1, size(x,1)]))
    y = e ./ repmat(sum(e, 1), [1, size(x,1)])
endfunction

% three layers
function y : mat = mlp(x : mat, w1 : mat, b1 : vec, w2 : mat, b2 : vec, w3 : mat, b3 : vec)
    n = size(x,0)
    h = max(x*w1 + repmat(b1, [n, 1]), 0)
    g = max(h*w2 + repmat(b2, [n, 1]), 0)
    y = softmax_rows(g*w3 + repmat(b3, [n, 1]))
endfunction

% images, rows, columns, channels; weights rows, columns, in, out
function y : cube{4} = convolution(x : cube{4}, w : cube{4}, bias : vec)
    k = size(w,0)
    h = size(x,1) - k + 1
    v = size(x,2) - k + 1
    y = uninit(size(x,0), h, v, size(w,3))
    for n = 0..size(x,0)-1
        for i = 0..h-1
            for j = 0..v-1
                for o = 0..size(w,3)-1
                    s = bias[o]
                    for p = 0..k-1
                        for q = 0..k-1
                            for c = 0..size(x,3)-1
                                s += x[n,i+p,j+q,c]*w[p,q,c,o]
                            endfor
                        endfor
                    endfor
                    y[n,i,j,o] = s
                endfor
            endfor
        endfor
    endfor
endfunction

% the greatest of each 2x2, after max(x, 0)
function y : cube{4} = pool(x : cube{4})
    y = uninit(size(x,0), int(size(x,1)/2), int(size(x,2)/2), size(x,3))
    for n = 0..size(y,0)-1
        for i = 0..size(y,1)-1
            for j = 0..size(y,2)-1
                for c = 0..size(y,3)-1
                    m = 0.0
                    for p = 0..1
                        for q = 0..1
                            m = max(m, x[n,2*i+p,2*j+q,c])
                        endfor
                    endfor
                    y[n,i,j,c] = m
                endfor
            endfor
        endfor
    endfor
endfunction

function y : cube{4} = lenet(x : cube{4}, w1 : cube{4}, b1 : vec, w2 : cube{4}, b2 : vec)
    y = pool(convolution(pool(convolution(x, w1, b1)), w2, b2))
endfunction

% transform of Fourier of 2^k numbers, each stage into another array
function [re : vec, im : vec] = stockham(re0 : vec, im0 : vec)
    n = numel(re0)
    re = copy(re0)
    im = copy(im0)
    half = int(n/2)
    stride = 1
    while stride < n
        r = uninit(n)
        s = uninit(n)
        for i = 0..half-1
            q = mod(i, stride)
            angle = -pi*(i - q)/half
            c = cos(angle)
            d = sin(angle)
            dr = re[i] - re[i+half]
            di = im[i] - im[i+half]
            at = 2*i - q
            r[at] = re[i] + re[i+half]
            s[at] = im[i] + im[i+half]
            r[at+stride] = dr*c - di*d
            s[at+stride] = dr*d + di*c
        endfor
        re = r
        im = s
        stride *= 2
    endwhile
endfunction

% rows of different lengths, all elements in one vector
function y : vec = spmv(first : ivec, column : ivec, value : vec, x : vec)
    y = uninit(numel(first)-1)
    for i = 0..numel(y)-1
        s = 0.0
        for k = first[i]..first[i+1]-1
            s += value[k]*x[column[k]]
        endfor
        y[i] = s
    endfor
endfunction

function c : int = crc16(data : vec[uint8], polynomial : int)
    c = 65535
    for i = 0..numel(data)-1
        b = int(data[i])
        for k = 0..7
            if xor(and(c, 1), and(b, 1)) == 1
                c = xor(shr(c, 1), polynomial)
            else
                c = shr(c, 1)
            endif
            b = shr(b, 1)
        endfor
    endfor
    c = and(not(c), 65535)
endfunction

% most pairs of bases
function t : imat = nussinov(s : ivec)
    n = numel(s)
    t = zeros[int](n, n)
    for i = n-1..-1..0
        for j = i+1..n-1
            t[i,j] = max(t[i,j], t[i,j-1])
            if i+1 < n
                t[i,j] = max(t[i,j], t[i+1,j])
                pair = 0
                if i < j-1 && s[i] + s[j] == 3
                    pair = 1
                endif
                t[i,j] = max(t[i,j], t[i+1,j-1] + pair)
            endif
            for k = i+1..j-1
                t[i,j] = max(t[i,j], t[i,k] + t[k+1,j])
            endfor
        endfor
    endfor
endfunction

% sums of products of small matrices, of points and energies
function y : cube{4} = scattering(g : cube{4}, d : cube{4}, neighbour : imat)
    y = zeros(size(g))
    n = size(g,2)
    for k = 0..size(g,0)-1
        for e = 0..size(g,1)-1
            for b = 0..size(neighbour,1)-1
                for w = 0..min(size(d,1)-1, e)
                    for i = 0..n-1
                        for j = 0..n-1
                            s = 0.0
                            for l = 0..n-1
                                s += g[neighbour[k,b],e-w,i,l]*d[b,w,l,j]
                            endfor
                            y[k,e,i,j] += s
                        endfor
                    endfor
                endfor
            endfor
        endfor
    endfor
endfunction

% the same with products of slices
function y : cube{4} = scattering_slices(g : cube{4}, d : cube{4}, neighbour : imat)
    y = zeros(size(g))
    for k = 0..size(g,0)-1
        for e = 0..size(g,1)-1
            for b = 0..size(neighbour,1)-1
                for w = 0..min(size(d,1)-1, e)
                    y[k,e,:,:] += squeeze(g[neighbour[k,b],e-w,:,:])*squeeze(d[b,w,:,:])
                endfor
            endfor
        endfor
    endfor
endfunction

% the value of a path of a geometric Brownian motion, by given normal numbers
function s : scalar = asian_option(z : mat, start : scalar, strike : scalar, r : scalar, sigma : scalar, dt : scalar)
    total = 0.0
    for i = 0..size(z,0)-1
        x = start
        m = 0.0
        for k = 0..size(z,1)-1
            x *= exp((r - 0.5*sigma^2)*dt + sigma*sqrt(dt)*z[i,k])
            m += x
        endfor
        total += max(m/size(z,1) - strike, 0.0)
    endfor
    s = total/size(z,0)
endfunction

% distances of all pairs, then the nearest
function [d : vec, at : ivec] = nearest(x : mat, y : mat)
    d = uninit(size(x,0))
    at = uninit[int](size(x,0))
    for i = 0..size(x,0)-1
        best = 1e30
        for j = 0..size(y,0)-1
            s = 0.0
            for k = 0..size(x,1)-1
                s += (x[i,k] - y[j,k])^2
            endfor
            if s < best
                best = s
                at[i] = j
            endif
        endfor
        d[i] = sqrt(best)
    endfor
endfunction

% forces between bodies
function [ax : vec, ay : vec, az : vec] = gravity(x : vec, y : vec, z : vec, mass : vec)
    n = numel(x)
    ax = zeros(n)
    ay = zeros(n)
    az = zeros(n)
    for i = 0..n-1
        for j = 0..n-1
            dx = x[j] - x[i]
            dy = y[j] - y[i]
            dz = z[j] - z[i]
            w = mass[j]/(dx^2 + dy^2 + dz^2 + 0.01)^1.5
            ax[i] += w*dx
            ay[i] += w*dy
            az[i] += w*dz
        endfor
    endfor
endfunction

% by matrices of all pairs
function [ax : vec, ay : vec, az : vec] = gravity_arrays(x : vec, y : vec, z : vec, mass : vec)
    n = numel(x)
    dx = repmat(x, [n, 1]) - repmat(transpose(x), [1, n])
    dy = repmat(y, [n, 1]) - repmat(transpose(y), [1, n])
    dz = repmat(z, [n, 1]) - repmat(transpose(z), [1, n])
    w = (dx.^2 + dy.^2 + dz.^2 + 0.01).^(-1.5)
    ax = (dx .* w)*mass
    ay = (dy .* w)*mass
    az = (dz .* w)*mass
endfunction

% a convolution that keeps sizes
function y : cube{4} = convolution_same(x : cube{4}'safe, w : cube{4}, bias : vec)
    r = int(size(w,0)/2)
    y = uninit(size(x,0), size(x,1), size(x,2), size(w,3))
    for n = 0..size(y,0)-1
        for i = 0..size(y,1)-1
            for j = 0..size(y,2)-1
                for o = 0..size(y,3)-1
                    s = bias[o]
                    for p = -r..r
                        for q = -r..r
                            for c = 0..size(x,3)-1
                                s += x[n,i+p,j+q,c]*w[p+r,q+r,c,o]
                            endfor
                        endfor
                    endfor
                    y[n,i,j,o] = s
                endfor
            endfor
        endfor
    endfor
endfunction

% a block of a residual network
function y : cube{4} = residual(x : cube{4}, w1 : cube{4}, b1 : vec, w2 : cube{4}, b2 : vec)
    t = max(convolution_same(x, w1, b1), 0)
    y = max(convolution_same(t, w2, b2) + x, 0)
endfunction
