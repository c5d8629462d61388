% Kernels that use their own elements only, on shapes that no vector of elements divides.
function [] = scale(x : mat, y : mat, g : scalar)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = 255 * (x[m,n] / 255) ^ g
        end
    end
end
function [] = bytes(x : mat[uint8], y : mat[uint8])
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = mod(x[m,n] + 3, 256)
        end
    end
end
function [] = some(x : mat, y : mat)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            if x[m,n] > 100
                y[m,n] += x[m,n]
            endif
        end
    end
end
function [] = mixed(x : mat[uint8], t : vec, y : mat)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = t[x[m,n]] + y[m,n]
        end
    end
end
function [s : scalar, p : scalar, q : scalar] = sums(x : mat)
    s = 0.0
    p = -1e30
    q = 1e30
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s += x[m,n]
            p = max(p, x[m,n])
            q = min(q, x[m,n])
        end
    end
end
function [] = doubled(x : vec[int64], y : vec[int64])
    for m = 0..numel(x)-1
        y[m] = 2 * x[m]
    end
end
function [] = try_shape(r : int, c : int)
    x = zeros(r, c)
    b = zeros[uint8](r, c)
    for m = 0..r-1
        for n = 0..c-1
            x[m,n] = mod(m * 37 + n * 11, 256)
            b[m,n] = mod(m * 37 + n * 11, 256)
        end
    end
    y = zeros(r, c)
    scale(x, y, 0.5)
    larger = zeros(r + 1, c + 2)
    scale(x, larger, 2.0)
    z = ones(r, c)
    some(x, z)
    d = zeros[uint8](r, c)
    bytes(b, d)
    t = linspace(0, 1, 256)
    w = ones(r, c)
    mixed(b, t, w)
    [s, p, q] = sums(x)
    print r, " ", c, ": ", sum(y) > 0, " ", round(sum(larger) / 1000), " ", sum(z), " ", sum(d), " ", round(sum(w) / 100), " ", s, " ", p, " ", q
end
function [] = main()
    sizes = [[1, 1], [1, 4], [1, 5], [5, 1], [3, 7], [16, 16], [17, 33], [2, 1023], [64, 65]]
    for k = 0..size(sizes,0)-1
        try_shape(sizes[k,0], sizes[k,1])
    end
    v = zeros[int64](7)
    for k = 0..6
        v[k] = k - 3
    end
    w = zeros[int64](7)
    doubled(v, w)
    print w
end
