% Loops that look for the place of an extreme: the first of equal numbers, never NaN, zeros of both signs alike. There are
% positions enough for devices to visit several at a time, and rounds enough to take them in groups.
function [] = least(p : mat, c : mat, place : ivec, found : vec)
    for i = 0..size(p,0)-1
        best = 50.0
        id = -1
        for k = 0..size(c,0)-1
            d = p[i,0] * c[k,0] + c[k,1] * p[i,1]
            if d < best
                best = d
                id = k
            endif
        end
        place[i] = id
        found[i] = best
    end
end

% The largest of integers, from the second on, with something of its round.
function [] = largest(p : mat[int], c : vec[int], place : ivec)
    for i = 0..size(p,0)-1
        most = p[i,1]
        rest = 7
        for k = 1..numel(c)-1
            if most < p[i,0] * c[k] - k
                rest = mod(k * c[k], 100)
                most = p[i,0] * c[k] - k
            endif
        end
        place[i] = most + 1000 * rest
    end
end

function [] = show(title : string, n : int, place : ivec, found : vec)
    s = 0
    numbers = 0
    nans = 0
    total = 0.0
    for i = 0..numel(place)-1
        s = mod(31 * s + place[i] + 1, 65521)
        if isnan(found[i])
            nans += 1
        elseif abs(found[i]) < 1e6
            total += found[i]
            numbers += 1
        endif
    end
    print title, " ", n, ": ", s, " ", numbers, " ", nans, " ", total, " ", place[0], " ", place[77], " ", place[2499]
end

N = 2500
p = zeros(N, 2)
q = zeros[int](N, 2)
for i = 0..N-1
    p[i,0] = mod(i * 7, 31) - 15
    p[i,1] = mod(i * 5, 17) - 8
    q[i,0] = mod(i * 11, 29) - 14
    q[i,1] = mod(i, 3) * 40 - 40
end
place = zeros[int](N)
found = zeros(N)
for n = [5, 15, 16, 45, 64]
    c = zeros(n, 2)
    w = zeros[int](n)
    for k = 0..n-1
        c[k,0] = mod(k * k * 3 + 1, 19) - 9
        c[k,1] = mod(k * 13, 23) - 11
        w[k] = mod(k * k * 7 + 5, 37) - 18
    end
    least(p, c, place, found)
    show("least", n, place, found)
    % Ties, zeros of both signs, and what is no number, also in whole groups.
    for k = 0..n-1
        if mod(k, 5) == 2
            c[k,0] = nan
        elseif mod(k, 7) == 3
            c[k,0] = -0.0
            c[k,1] = -0.0
        elseif k == 30
            c[k,1] = inf
        endif
    end
    for k = 16..min(n - 1, 23)
        c[k,1] = nan
    end
    least(p, c, place, found)
    show("with nan", n, place, found)
    largest(q, w, place)
    show("largest", n, place, found)
end
