function [] = largest_mirror(x : mat'mirror, y : mat)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            v = -1000.0
            for dy = -5..5
                for dx = -5..5
                    v = max(v, x[m+dy,n+dx])
                end
            end
            y[m,n] = v
        end
    end
end
function [] = largest_step_by_step_mirror(x : mat'mirror, y : mat, r : int)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            v = -1000.0
            for dy = -r..r
                for dx = -r..r
                    v = max(x[m+dy,n+dx], v)
                end
            end
            y[m,n] = v
        end
    end
end
function [] = weighted_mirror(x : mat'mirror, y : mat, w : vec)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 1.0
            for k = 0..12
                s += w[k] * x[m+k-6,n]
            end
            t = 0.0
            for k = 0..12
                t += w[k] * x[m,n+k-6]
            end
            y[m,n] = s + t
        end
    end
end
function [] = weighted_step_by_step_mirror(x : mat'mirror, y : mat, w : vec)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = 1.0
            for k = 0..12
                a = x[m+k-6,n] + x[m,n+k-6]
                y[m,n] = y[m,n] + w[k] * a
            end
        end
    end
end
function [] = largest_circular(x : mat'circular, y : mat)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            v = -1000.0
            for dy = -5..5
                for dx = -5..5
                    v = max(v, x[m+dy,n+dx])
                end
            end
            y[m,n] = v
        end
    end
end
function [] = largest_step_by_step_circular(x : mat'circular, y : mat, r : int)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            v = -1000.0
            for dy = -r..r
                for dx = -r..r
                    v = max(x[m+dy,n+dx], v)
                end
            end
            y[m,n] = v
        end
    end
end
function [] = weighted_circular(x : mat'circular, y : mat, w : vec)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 1.0
            for k = 0..12
                s += w[k] * x[m+k-6,n]
            end
            t = 0.0
            for k = 0..12
                t += w[k] * x[m,n+k-6]
            end
            y[m,n] = s + t
        end
    end
end
function [] = weighted_step_by_step_circular(x : mat'circular, y : mat, w : vec)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = 1.0
            for k = 0..12
                a = x[m+k-6,n] + x[m,n+k-6]
                y[m,n] = y[m,n] + w[k] * a
            end
        end
    end
end
function [] = largest_clamped(x : mat'clamped, y : mat)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            v = -1000.0
            for dy = -5..5
                for dx = -5..5
                    v = max(v, x[m+dy,n+dx])
                end
            end
            y[m,n] = v
        end
    end
end
function [] = largest_step_by_step_clamped(x : mat'clamped, y : mat, r : int)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            v = -1000.0
            for dy = -r..r
                for dx = -r..r
                    v = max(x[m+dy,n+dx], v)
                end
            end
            y[m,n] = v
        end
    end
end
function [] = weighted_clamped(x : mat'clamped, y : mat, w : vec)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 1.0
            for k = 0..12
                s += w[k] * x[m+k-6,n]
            end
            t = 0.0
            for k = 0..12
                t += w[k] * x[m,n+k-6]
            end
            y[m,n] = s + t
        end
    end
end
function [] = weighted_step_by_step_clamped(x : mat'clamped, y : mat, w : vec)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = 1.0
            for k = 0..12
                a = x[m+k-6,n] + x[m,n+k-6]
                y[m,n] = y[m,n] + w[k] * a
            end
        end
    end
end
function [] = largest_safe(x : mat'safe, y : mat)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            v = -1000.0
            for dy = -5..5
                for dx = -5..5
                    v = max(v, x[m+dy,n+dx])
                end
            end
            y[m,n] = v
        end
    end
end
function [] = largest_step_by_step_safe(x : mat'safe, y : mat, r : int)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            v = -1000.0
            for dy = -r..r
                for dx = -r..r
                    v = max(x[m+dy,n+dx], v)
                end
            end
            y[m,n] = v
        end
    end
end
function [] = weighted_safe(x : mat'safe, y : mat, w : vec)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 1.0
            for k = 0..12
                s += w[k] * x[m+k-6,n]
            end
            t = 0.0
            for k = 0..12
                t += w[k] * x[m,n+k-6]
            end
            y[m,n] = s + t
        end
    end
end
function [] = weighted_step_by_step_safe(x : mat'safe, y : mat, w : vec)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = 1.0
            for k = 0..12
                a = x[m+k-6,n] + x[m,n+k-6]
                y[m,n] = y[m,n] + w[k] * a
            end
        end
    end
end
function [] = least_of_bytes(x : mat[uint8]'mirror, y : mat[uint8])
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            v = x[m,n]
            for dy = -1..1
                for dx = 0..8
                    v = min(v, x[m+dy,n+dx])
                end
            end
            y[m,n] = v
        end
    end
end
function [] = check(height : int, width : int)
    x = zeros(height, width)
    for m = 0..height-1
        for n = 0..width-1
            x[m,n] = mod(m*37 + n*11 + m*n, 101) - 50
        end
    end
    y = zeros(height, width)
    z = zeros(height, width)
    w = [1.0,2,-3,4,5,-6,7,8,9,-10,11,12,13]
    largest_mirror(x, y)
    largest_step_by_step_mirror(x, z, 5)
    print height, " ", width, " mirror: ", sum(y), " ", sum(abs(y - z))
    weighted_mirror(x, y, w)
    weighted_step_by_step_mirror(x, z, w)
    print sum(y), " ", sum(abs(y - z))
    largest_circular(x, y)
    largest_step_by_step_circular(x, z, 5)
    print height, " ", width, " circular: ", sum(y), " ", sum(abs(y - z))
    weighted_circular(x, y, w)
    weighted_step_by_step_circular(x, z, w)
    print sum(y), " ", sum(abs(y - z))
    largest_clamped(x, y)
    largest_step_by_step_clamped(x, z, 5)
    print height, " ", width, " clamped: ", sum(y), " ", sum(abs(y - z))
    weighted_clamped(x, y, w)
    weighted_step_by_step_clamped(x, z, w)
    print sum(y), " ", sum(abs(y - z))
    largest_safe(x, y)
    largest_step_by_step_safe(x, z, 5)
    print height, " ", width, " safe: ", sum(y), " ", sum(abs(y - z))
    weighted_safe(x, y, w)
    weighted_step_by_step_safe(x, z, w)
    print sum(y), " ", sum(abs(y - z))
end
check(1, 1)
check(3, 5)
check(11, 4)
check(23, 41)
check(16, 150)

% Numbers win over NaN, wherever it stands.
x = -ones(14, 20)
x[3,7] = 0.0 / 0.0
x[4,7] = 0.0 / 0.0
x[9,12] = 3.0
y = zeros(14, 20)
largest_mirror(x, y)
print sum(y), " ", y[3,7], " ", y[4,12]
b = uint8(round(abs(x) * 40))
c = uint8(zeros(14, 20))
least_of_bytes(b, c)
print sum(c), " ", c[8,4], " ", c[3,7]
