% Arrays of known numbers are part of the code of the kernels that get them. The numbers are the same as with arrays that
% only the running program knows.
taps = [-1, 2, 3, 2, -1] / 5
binomial = [[1, 2, 1], [2, 4, 2], [1, 2, 1]] / 16
steps : vec'const = [1.5, 2.5]

function [] = __kernel__ along(x : mat, y : mat, dir : ivec2, w : vec, pos : ivec2)
    s = 0.0
    for k = -2..2
        s += w[k + 2] * x[pos + k * dir]
    endfor
    y[pos] = s
endfunction

function [] = __kernel__ around(x : mat'mirror, y : mat, w : mat, pos : ivec2)
    s = 0.0
    half = int(size(w, 0) / 2)
    for m = 0..size(w, 0)-1
        for n = 0..size(w, 1)-1
            s += w[m, n] * x[pos + [m, n] - half]
        endfor
    endfor
    y[pos] = s
endfunction

% Outside of the mask are zeros, and a counter chooses the element.
function [] = __kernel__ counted(x : vec, y : vec, w : vec, pos : int)
    s = 0.0
    n = 0
    for k = -1..3
        s += w[k] * x[pos + k]
        if k > 1
            n += 1
            s += w[n]
        endif
    endfor
    y[pos] = s
endfunction

% A loop that ends early stays one.
function [] = __kernel__ ended(x : vec, y : vec, w : vec, pos : int)
    s = 0.0
    for k = 0..2
        if x[pos + k] > 5
            break
        endif
        s += w[k]
    endfor
    y[pos] = s
endfunction

function [] = __kernel__ table(y : vec, w : vec, v : vec, pos : int)
    y[pos] = w[mod(pos * 3, 4)] + v[1]
endfunction

function [] = __kernel__ kept(y : vec, w : vec, pos : int)
    {!kernel_transform disable="constprop"}
    y[pos] += w[1] + pos
endfunction

function [] = __kernel__ halved(y : vec, w : vec, pos : int)
    if pos == 0
        w[1] = 8
    endif
    y[pos] = w[0]
endfunction

% Zeros have a sign.
function [] = __kernel__ inverse(y : vec, w : vec, pos : int)
    y[pos] = 1 / w[0]
endfunction

function [] = overwrite(v : vec)
    v[0] = 100
endfunction

% Not known to the compiler.
function y = at_run_time(v : mat)
    y = copy(v)
    y[0, 0] = v[0, 0] + 0 * numel(v)
endfunction

function y = smooth(x : vec)
    y = zeros(numel(x))
    for i = 0..numel(x)-1
        s = 0.0
        for k = -2..2
            s += taps[k + 2] * x[max(0, min(i + k, numel(x)-1))]
        endfor
        y[i] = s * steps[1]
    endfor
endfunction

function [] = main()
    x = zeros(6, 5)
    for m = 0..5
        for n = 0..4
            x[m, n] = mod(m * 7 + n * 3, 11)
        endfor
    endfor
    y = zeros(6, 5)
    z = zeros(6, 5)
    parallel_do(size(x), x, y, [0, 1], taps, along)
    parallel_do(size(x), y, z, [1, 0], taps, along)
    print round(100 * z)
    parallel_do(size(x), x, y, binomial, around)
    parallel_do(size(x), x, z, at_run_time(binomial), around)
    print y, max(abs(y - z))
    box = ones(3, 3)
    box = box / sum(box)
    parallel_do(size(x), x, y, box, around)
    parallel_do(size(x), x, z, at_run_time(box), around)
    print max(abs(y - z)) < 0.00001
    g = exp(-(-2..2).^2 / 2)
    parallel_do(size(x), x, y, [0, 1], g / sum(g), along)
    h = g * x[0, 2] / 6
    parallel_do(size(x), x, z, [0, 1], h / sum(h), along)
    print max(abs(y - z)) < 0.00001
    row = x[2, :]
    out = zeros(5)
    parallel_do(5, row, out, [0.5, 0.25, 2], counted)
    print out
    parallel_do(5, row, out, [0.5, 0.25, 2], ended)
    print out
    choice = [1.0, 2.0]
    if out[0] > 1000
        choice = [3.0, 4.0]
    endif
    for i = 0..2
        parallel_do(5, row, out, choice, counted)
        choice = [choice[1], choice[0] + i]
    endfor
    print out
    parallel_do(5, out, [1, 2, 3, 4], [10, 20], table)
    print out
    parallel_do(5, out, [1, 2], kept)
    print out
    w = [3.0, 4.0]
    parallel_do(5, out, w, halved)
    print out, w
    parallel_do(2, out, [0.0, 1.0], inverse)
    print out[0..1]
    parallel_do(2, out, [-0.0, 1.0], inverse)
    print out[0..1]
    v = [1.0, 2.0]
    overwrite(v)
    parallel_do(2, out, [0, 0, 0, 0], v, table)
    u = [1.0, 2.0]
    same = u
    same[1] = 50
    parallel_do(1, out, [1, 1, 1, 1], u, table)
    print out
    print smooth(row)
    mask = [1, 2, 1] / 4
    for i = 0..4
        s = 0.0
        for k = 0..numel(mask)-1
            s += mask[k] * row[min(i + k, 4)]
        endfor
        out[i] = s
    endfor
    print out
    {!kernel_transform disable="constprop"}
    for i = 0..4
        s = 0.0
        for k = 0..2
            s += mask[k] * row[min(i + k, 4)]
        endfor
        out[i] = s
    endfor
    print out
endfunction
