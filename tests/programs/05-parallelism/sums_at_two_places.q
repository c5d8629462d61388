% Elements that several places get, computed by vectors whose last one begins within the one before.
function c : mat = cov(d : mat)
    m = size(d,1)
    c = zeros(m, m)
    for i = 0..m-1
        for j = i..m-1
            s = 0.0
            for k = 0..size(d,0)-1
                s += d[k,i]*d[k,j]
            endfor
            c[i,j] = s
            c[j,i] = s
        endfor
    endfor
endfunction
function c : mat = corr(d : mat)
    m = size(d,1)
    c = eye(m)
    for i = 0..m-2
        for j = i+1..m-1
            s = 0.0
            for k = 0..size(d,0)-1
                s += d[k,i]*d[k,j]
            endfor
            c[i,j] = s
            c[j,i] = s
        endfor
    endfor
endfunction
function [c : mat, e : mat] = turned(d : mat, b : mat)
    c = zeros(size(b,1), size(d,0))
    e = zeros(size(d,0), size(b,1))
    for i = 0..size(d,0)-1
        for j = 0..size(b,1)-1
            s = 0.0
            for k = 0..size(d,1)-1
                s += d[i,k]*b[k,j]
            endfor
            c[j,i] = s
            e[i,j] = 2*s
        endfor
    endfor
endfunction
function c : mat = up(d : mat, b : mat)
    c = ones(size(b,1), size(d,0))
    for i = 0..size(d,0)-1
        for j = 0..size(b,1)-1
            s = 0.0
            for k = 0..size(d,1)-1
                s += d[i,k]*b[k,j]
            endfor
            c[j,i] += s
        endfor
    endfor
endfunction
function h : vec = spread(x : mat, t : imat)
    h = zeros(40)
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            s = 0.0
            for k = 0..3
                s += x[i,k]*x[k,j]
            endfor
            h[t[i,j]] += s
        endfor
    endfor
endfunction
function [y : mat, z : mat] = scattered(x : mat, p : ivec)
    y = zeros(size(x,0), numel(p))
    z = zeros(numel(p), size(x,0))
    for i = 0..size(x,0)-1
        for j = 0..numel(p)-1
            y[i,p[j]] = x[i,j] + 1
            z[p[j],i] = x[i,j]*2
        endfor
    endfor
endfunction
function [] = main()
    for n = [5, 15, 17, 31, 33, 47, 63, 143]
        d = reshape(mod(7*(0..23*n-1), 5) - 2.0, 23, n)
        b = reshape(mod(3*(0..23*n-1), 7) - 3.0, n, 23)
        w = reshape(mod(1..n*n, 11) + 0.0, n, n)
        v = reshape(mod(1..23*23, 11) + 0.0, 23, 23)
        u = reshape(mod(1..n*n, 11) + 0.0, n, n)
        [e, f] = turned(b, d)
        t = reshape(mod(int(1..n*n), 40), n, n)
        x = reshape(mod(5*(0..n*n-1), 7) - 3.0, n, n)
        h = spread(x, t)
        p = int(n-1-(0..n-1))
        [y, z] = scattered(x, p)
        print n, " ", sum(cov(d) .* w), " ", sum(corr(d) .* w), " ", sum(e .* u), " ", sum(f .* u), " ", sum(up(b, d) .* u), " ", sum(h .* (1..40)), " ", sum(y .* w), " ", sum(z .* w)
    endfor
endfunction
