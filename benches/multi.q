% The programs of the multi-device benchmark, as plain loops.
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

function [] = gamma(x : mat, y : mat, g : scalar)
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            y[m,n] = 255 * (x[m,n] / 255) ^ g
        end
    end
end

% Four filters in sequence on one image.
function y = develop(x : mat)
    t = zeros(size(x))
    y = zeros(size(x))
    bilateral(x, y, 5)
    mean(y, t, 1)
    bilateral(t, y, 5)
    gamma(y, y, 0.8)
end

% Small kernels that depend on each other.
function [] = chain(x : mat, t : mat, n : int)
    for k = 1..n
        bilateral(x, t, 3)
        gamma(t, x, 0.9)
    end
end

% One kernel on all GPUs.
function [] = __kernel__ iterated(x : mat, y : mat, n : int, pos : ivec2)
    v = y[pos]
    for k = 1..n
        v = 0.5 * (v + x[pos] / (v + 1))
    end
    y[pos] = v
end

function [] = __kernel__ windowed(x : mat'mirror, y : mat, r : int, pos : ivec2)
    s = 0.0
    for dm = -r..r
        for dn = -r..r
            s += x[pos[0]+dm, pos[1]+dn]
        end
    end
    y[pos] = s / ((2 * r + 1) * (2 * r + 1))
end

function [] = own_rows(x : mat, y : mat, n : int, launches : int)
    for k = 1..launches
        multi_parallel_do(size(y), x, y, n, iterated)
    end
end

function [] = window(x : mat, y : mat, r : int, launches : int)
    for k = 1..launches
        multi_parallel_do(size(y), x, y, r, windowed)
    end
end

% Each launch reads what the previous one wrote: every GPU needs the halos or rows of the others.
function [] = windows_by_turns(x : mat, y : mat, r : int, rounds : int)
    for k = 1..rounds
        multi_parallel_do(size(y), x, y, r, windowed)
        multi_parallel_do(size(x), y, x, r, windowed)
    end
end
