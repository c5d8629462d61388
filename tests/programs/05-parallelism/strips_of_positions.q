% Windows and loops whose positions share elements: images smaller and larger than a strip, every access mode.
function [] = box(x : mat'mirror, y : mat)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 0.0
            for dy = -1..1
                for dx = -1..1
                    s += x[m+dy,n+dx]
                end
            end
            y[m,n] = s
        end
    end
end
function [] = around(x : mat'circular, y : mat)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 0.0
            for d = -2..2
                s += (d + 3) * x[m+d,n] + x[m,n-d]
            end
            y[m,n] = s
        end
    end
end
function [] = edge(x : mat'clamped, z : mat'safe, y : mat)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 0.0
            for d = -2..2
                s += x[m+d,n+1] + (d + 3) * z[m+d,n-1]
            end
            y[m,n] = s
        end
    end
end
function [] = largest(x : mat'mirror, y : mat, r : int)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            v = -1e30
            for dy = -3..3
                for dx = -2..2
                    v = max(v, x[m+dy,n+dx])
                end
            end
            y[m,n] = v
        end
    end
end
function [] = smallest(x : mat'clamped, y : mat)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            v = x[m,n]
            for dy = 0..4
                for dx = -1..1
                    v = min(v, x[m-dy,n+dx])
                end
            end
            y[m,n] = v
        end
    end
end
function [] = blur(x : mat'mirror, y : mat, w : vec, r : int)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 0.0
            for k = -r..r
                s += w[k+r] * x[m,n+k]
            end
            y[m,n] = s
        end
    end
end
function [] = nearest(p : mat, c : mat, l : ivec)
    for i = 0..size(p,0)-1
        best = 1e30
        id = -1
        for k = 0..size(c,0)-1
            d = (p[i,0]-c[k,0])^2 + (p[i,1]-c[k,1])^2
            if d < best
                best = d
                id = k
            endif
        end
        l[i] = id
    end
end
function [] = product(a : mat, b : mat, c : mat)
    for i = 0..size(a,0)-1
        for j = 0..size(b,1)-1
            s = 0.0
            for k = 0..size(a,1)-1
                s += a[i,k] * b[k,j]
            end
            c[i,j] = s
        end
    end
end
function s : scalar = mark(y : mat)
    s = 0.0
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            s += mod(y[m,n] * (1 + mod(m * 3 + n, 5)), 8192)
        end
    end
end
function [] = try_shape(r : int, c : int)
    x = zeros(r, c)
    for m = 0..r-1
        for n = 0..c-1
            x[m,n] = mod(m * 37 + n * 11 + m * n, 97)
        end
    end
    y = zeros(r, c)
    box(x, y)
    s = [mark(y), 0, 0, 0, 0, 0]
    around(x, y)
    s[1] = mark(y)
    edge(x, x, y)
    s[2] = mark(y)
    largest(x, y, 3)
    s[3] = mark(y)
    smallest(x, y)
    s[4] = mark(y)
    blur(x, y, [1, 2, 4, 8, 3, 2, 1], 3)
    s[5] = mark(y)
    print r, " ", c, ": ", s
end
function [] = main()
    sizes = [[1, 1], [1, 9], [9, 1], [2, 3], [7, 40], [8, 33], [9, 20], [16, 16], [45, 47], [64, 40]]
    for k = 0..size(sizes,0)-1
        try_shape(sizes[k,0], sizes[k,1])
    end
    counts = [1, 255, 256, 769, 2048, 2049, 4200]
    c = zeros(5, 2)
    for k = 0..4
        c[k,0] = mod(k * 7, 11)
        c[k,1] = mod(k * 5, 13)
    end
    for j = 0..numel(counts)-1
        p = zeros(counts[j], 2)
        l = zeros[int](counts[j])
        for k = 0..counts[j]-1
            p[k,0] = mod(k * 3, 11)
            p[k,1] = mod(k * 5, 13)
        end
        nearest(p, c, l)
        t = 0
        for k = 0..counts[j]-1
            t = mod(t * 3 + l[k], 10007)
        end
        print counts[j], ": ", t
    end
    a = zeros(11, 6)
    b = zeros(6, 3)
    for m = 0..5
        for n = 0..10
            a[n,m] = m - n
        end
        for n = 0..2
            b[m,n] = m + n
        end
    end
    d = zeros(11, 3)
    product(a, b, d)
    print d
    try
        product(a, b[0..4,:], d)
    catch e
        print "failed"
    end
end
