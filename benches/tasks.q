% The tasks that the benchmarks measure, as plain loops.
function [] = gamma(x : mat, y : mat, g : scalar)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = 255 * (x[m,n] / 255) ^ g
        end
    end
end

function [] = box(x : mat'mirror, y : mat)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 0.0
            for dy = -1..1
                for dx = -1..1
                    s += x[m+dy,n+dx]
                end
            end
            y[m,n] = s / 9
        end
    end
end

function [] = gauss(x : mat'mirror, t : mat'mirror, y : mat, w : vec)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 0.0
            for k = 0..30
                s += w[k] * x[m+k-15,n]
            end
            t[m,n] = s
        end
    end
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

function [] = blur(x : mat'mirror, t : mat'mirror, y : mat, w : vec, r : int)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 0.0
            for k = -r..r
                s += w[k+r] * x[m+k,n]
            end
            t[m,n] = s
        end
    end
    for m = 0..size(t,0)-1
        for n = 0..size(t,1)-1
            s = 0.0
            for k = -r..r
                s += w[k+r] * t[m,n+k]
            end
            y[m,n] = s
        end
    end
end

function [] = largest(x : mat'mirror, y : mat)
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

function s : scalar = total(x : mat)
    s = 0.0
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s += x[m,n]
        end
    end
end

function [] = histogram(x : mat[uint8], h : vec)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            h[x[m,n]] += 1
        end
    end
end

function [] = gradient(x : mat, y : mat)
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            y[m,n] = sqrt((x[m+1,n]-x[m,n])^2 + (x[m,n+1]-x[m,n])^2)
        end
    end
end

function [] = assign(p : mat, c : mat, l : ivec)
    for i = 0..size(p,0)-1
        best = 1e30
        id = 0
        for k = 0..size(c,0)-1
            d = (p[i,0]-c[k,0])^2 + (p[i,1]-c[k,1])^2 + (p[i,2]-c[k,2])^2
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
