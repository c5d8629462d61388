% The programs of the benchmark of several GPUs, as plain loops.

% Four filters one after the other on one image.
function [] = bilateral(x : mat'mirror, y : mat, r : int)
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            s = 0.0
            t = 0.0
            for a = -r..r
                for b = -r..r
                    d = x[m+a,n+b] - x[m,n]
                    w = exp(-0.002 * d * d - 0.03 * (a * a + b * b))
                    s += w * x[m+a,n+b]
                    t += w
                end
            end
            y[m,n] = s / t
        end
    end
end

function [] = mean(x : mat'mirror, y : mat, r : int)
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            s = 0.0
            for a = -r..r
                for b = -r..r
                    s += x[m+a,n+b]
                end
            end
            y[m,n] = s / ((2 * r + 1) * (2 * r + 1))
        end
    end
end

function [] = curve(x : mat, y : mat, g : scalar)
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            y[m,n] = 255 * (x[m,n] / 255) ^ g
        end
    end
end

function y = develop(x : mat)
    t = zeros(size(x))
    y = zeros(size(x))
    bilateral(x, y, 5)
    mean(y, t, 1)
    bilateral(t, y, 5)
    curve(y, y, 0.8)
end

% The loops that follow are one launch each, which all GPUs share.
function [] = gamma(x : mat, y : mat, g : scalar)
    {!parallel for; multi_device=true}
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            y[m,n] = 255 * (x[m,n] / 255) ^ g
        end
    end
end

function [] = box_mean(x : mat'mirror, y : mat)
    {!parallel for; multi_device=true}
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            s = 0.0
            for a = -1..1
                for b = -1..1
                    s += x[m+a,n+b]
                end
            end
            y[m,n] = s / 9
        end
    end
end

function [] = gauss(x : mat'mirror, t : mat'mirror, y : mat, w : vec)
    {!parallel for; multi_device=true}
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 0.0
            for k = 0..30
                s += w[k] * x[m+k-15,n]
            end
            t[m,n] = s
        end
    end
    {!parallel for; multi_device=true}
    for m = 0..size(t,0)-1
        for n = 0..size(t,1)-1
            s = 0.0
            for k = 0..30
                s += w[k] * t[m,n+k-15]
            end
            y[m,n] = s
        end
    end
end

function [] = largest(x : mat'mirror, y : mat)
    {!parallel for; multi_device=true}
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            v = -1e30
            for dy = -5..5
                for dx = -5..5
                    v = max(v, x[m+dy,n+dx])
                end
            end
            y[m,n] = v
        end
    end
end

% Heat flows between neighbours; each round is two steps, and leaves the result in x.
function [] = heat(x : mat'clamped, y : mat'clamped, rounds : int)
    for k = 1..rounds
        {!parallel for; multi_device=true}
        for m = 0..size(x,0)-1
            for n = 0..size(x,1)-1
                y[m,n] = x[m,n] + 0.2 * (x[m-1,n] + x[m+1,n] + x[m,n-1] + x[m,n+1] - 4 * x[m,n])
            end
        end
        {!parallel for; multi_device=true}
        for m = 0..size(x,0)-1
            for n = 0..size(x,1)-1
                x[m,n] = y[m,n] + 0.2 * (y[m-1,n] + y[m+1,n] + y[m,n-1] + y[m,n+1] - 4 * y[m,n])
            end
        end
    end
end

function s : scalar = total(x : mat)
    s = 0.0
    {!parallel for; multi_device=true}
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s += x[m,n]
        end
    end
end

function [] = histogram(x : mat[uint8], h : ivec)
    {!parallel for; multi_device=true}
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            h[x[m,n]] += 1
        end
    end
end

% Points go to their nearest centre, and centres to the middle of their points.
function [] = kmeans(p : mat, c : mat, s : mat, k : ivec, steps : int)
    for step = 1..steps
        for j = 0..size(c,0)-1
            s[j,0] = 0
            s[j,1] = 0
            k[j] = 0
        end
        {!parallel for; multi_device=true}
        for i = 0..size(p,0)-1
            best = 1e30
            id = 0
            for j = 0..size(c,0)-1
                d = (p[i,0]-c[j,0])^2 + (p[i,1]-c[j,1])^2
                if d < best
                    best = d
                    id = j
                endif
            end
            s[id,0] += p[i,0]
            s[id,1] += p[i,1]
            k[id] += 1
        end
        for j = 0..size(c,0)-1
            c[j,0] = s[j,0] / max(k[j], 1)
            c[j,1] = s[j,1] / max(k[j], 1)
        end
    end
end

function y = spectrum(x : cmat)
    y = fft2(x)
end
