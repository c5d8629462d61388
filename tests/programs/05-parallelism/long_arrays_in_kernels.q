% Arrays of known size with more elements than registers hold: slices, library functions, stores, arguments of functions.
function [] = __kernel__ scans(x : mat, y : mat, pos : int)
    r = x[pos, 0..199]
    t = cumsum(r)
    u = cummax(r)
    y[pos, 0] = t[199]
    y[pos, 1] = sum(u)
    y[pos, 2] = max(cumprod(min(r[0..69], 1.0)))
endfunction

function [] = __kernel__ shapes(x : mat, y : mat, pos : int)
    r = x[pos, 0..199]
    t = reshape(r, [10, 20])
    u = t * transpose(t)
    v = repmat(r[0..9], [2, 40])
    w = horzcat(r[0..99], r[150..199])
    y[pos, 0] = u[3, 4] + sum(v) + v[1, 11]
    y[pos, 1] = sum(w) + w[149]
    y[pos, 2] = sum(mod(sum(t, 0), 7) .* t[1, :]) + max(mean(t, 1) * 20)
endfunction

function [] = __kernel__ orders(x : mat, y : mat, pos : int)
    r = x[pos, 0..199]
    s = sort(r)
    k = int(mod(r, 150))
    y[pos, 0] = s[100] + s[0] * 1000
    y[pos, 1] = sum(r[k]) + median(r[0..98])
    y[pos, 2] = numel(find(r > 50)) + argmax(r) + numel(r[r > 30])
endfunction

% A function of any vector, and one of a vector of a known size.
function s = __device__ weighted(v : vec)
    s = 0.0
    for k = 0..numel(v)-1
        s += v[k] * mod(k, 5)
    endfor
endfunction

function w = __device__ twice(v : vec(120))
    w = 2 .* v
endfunction

function [] = __kernel__ functions(x : mat, y : mat, pos : int)
    r = x[pos, 3..122]
    y[pos, 0] = weighted(r) + weighted(r .* 2) + weighted(x[pos, 0..199])
    y[pos, 1] = sum(twice(r)) + sum(twice(r + 1)[0..2..119])
    t = copy(r)
    t[5] = 1000
    t[10..109] = r[0..99]
    y[pos, 2] = t[5] + t[10] + r[5] + sum(t)
endfunction

function [] = __kernel__ made(x : mat, y : mat, pos : int)
    a = linspace(0, 99, 100)
    b = 0..99
    c = ones(100)
    d = eye(12)
    y[pos, 0] = sum(a) + sum(b) + sum(c) + sum(d)
    y[pos, 1] = sum(a .* x[pos, 0..99]) - sum(x[pos, 0..99] .* b)
    y[pos, 2] = sum(x[pos, 0..99] > 50) + d[3, 3]
endfunction

function [] = __kernel__ stored(x : mat, y : mat, pos : int)
    r = x[pos, 0..199]
    y[pos, 0..199] = r[199..-1..0] + 1
    y[pos, 100..199] = y[pos, 0..99]
endfunction

function [] = __kernel__ boundaries(x : mat'circular, y : mat, pos : int)
    r = x[pos, 150..349]
    c = complex(r, x[pos+1, 0..199])
    y[pos, 0] = sum(r) + real(sum(c .* c[0]))
    y[pos, 1] = r[199] + imag(c[100])
    y[pos, 2] = sum(x[-3..3, pos] .* 1)
endfunction

% The same in loops.
function y : mat = in_loops(x : mat)
    y = zeros(size(x, 0), 3)
    for m = 0..size(x, 0)-1
        r = x[m, 0..199]
        t = cumsum(r)
        for k = 1..199
            t[k] = max(t[k] - t[k-1], t[k-1] - 100)
        endfor
        y[m, 0] = t[199]
        s = sort(x[m, 20..119])
        y[m, 1] = s[50]
        y[m, 2] = dotprod(mod(x[m, 0..149], 7), x[m, 50..199]) + sum(fliplr(r)[0..9])
    endfor
endfunction

function x : mat = table(m : int, n : int)
    x = zeros(m, n)
    for i = 0..m-1
        for j = 0..n-1
            x[i, j] = mod(i*31 + j*17 + i*j, 101)
        endfor
    endfor
endfunction

function [] = show(name : string, y : mat)
    print name, " ", sum(y[:, 0]), " ", sum(y[:, 1]), " ", sum(y[:, 2]), " ", y[7, 0], " ", y[7, 1], " ", y[7, 2]
endfunction

function [] = main()
    x = table(70, 256)
    y = zeros(70, 200)
    parallel_do(size(x, 0), x, y, scans)
    show("scans", y)
    parallel_do(size(x, 0), x, y, shapes)
    show("shapes", y)
    parallel_do(size(x, 0), x, y, orders)
    show("orders", y)
    parallel_do(size(x, 0), x, y, functions)
    show("functions", y)
    parallel_do(size(x, 0), x, y, made)
    show("made", y)
    parallel_do(size(x, 0), x, y, boundaries)
    show("boundaries", y)
    parallel_do(size(x, 0), x, y, stored)
    print "stored ", sum(y), " ", y[7, 0], " ", y[7, 150]
    show("loops", in_loops(x))
endfunction
