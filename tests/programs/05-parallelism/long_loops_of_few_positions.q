% Loops whose rounds threads of a device can share, because there are few positions.
function [] = rows(x : mat, y : mat)
    for m = 0..size(x,0)-1
        s = 1.0
        p = -1.0
        c = 0
        for n = 0..size(x,1)-1
            v = x[m,n]
            s += v
            p = max(v, p)
            if mod(n, 2) == 1
                c += 1
            endif
        end
        y[m,0] = s
        y[m,1] = p + c
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
function [] = backwards(x : vec'mirror, y : vec, n : int)
    for m = 0..numel(y)-1
        s = 0.0
        q = 0
        t = 1e30
        for k = n..-3..-n
            d = x[k+m] - 2
            s -= d
            q += mod(k, 3)
            t = min(t, d * d)
        end
        if numel(x) > 3
            y[m] = s + q + t
        else
            y[m] = -1
        endif
    end
end
function [] = found(x : vec, y : ivec, n : int)
    for m = 0..numel(y)-1
        s = 0
        for k = 0..n-1
            s = s + (x[k] == m)
        end
        y[m] = s
    end
end
function [] = main()
    x = zeros(3, 5001)
    t = zeros(5001, 1)
    for m = 0..2
        for n = 0..5000
            x[m,n] = mod(m * 31 + n * 7, 13)
            t[n,0] = mod(n, 3)
        end
    end
    y = zeros(3, 2)
    rows(x, y)
    print y
    % Enough rounds for several blocks even where there are few, and twice: what they share is as it was.
    z = zeros(1, 40000)
    for n = 0..39999
        z[0,n] = mod(n * 7, 23) - 11
    end
    y = zeros(1, 2)
    rows(z, y)
    print y
    y = zeros(1, 2)
    rows(z, y)
    print y
    c = zeros(3, 1)
    product(x, t, c)
    print c
    product(x[:,0..0], t[0..0,:] + 1, c)
    print c
    v = zeros(2)
    w = x[0,:]
    backwards(w, v, 4000)
    print v
    backwards(w, v, -1)
    print v
    l = zeros[int](4)
    found(w, l, 5001)
    print l
    found(w, l, 0)
    print l
    try
        found(w, l, 5002)
    catch e
        print "failed"
    end
end
