% What the benchmark of several devices runs, as plain loops.
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

% Four filters, one after the other, on one image.
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
