% single: textures compute in single precision
% Arrays that are read between their elements: nearest ones and interpolation, with every boundary mode, in one to three
% dimensions, with components, of several types, in kernels, device functions and loops.
function [] = __kernel__ nearest(x : vec'hwtex_nearest, y : vec, pos : int)
    y[pos] = x[0.5*pos - 1]
endfunction
function [] = __kernel__ linear(x : vec'hwtex_linear, y : vec, pos : int)
    y[pos] = x[0.5*pos - 1]
endfunction
function [] = __kernel__ clamped(x : vec'hwtex_linear'clamped, y : vec, pos : int)
    y[pos] = x[0.5*pos - 1]
endfunction
function [] = __kernel__ mirrored(x : vec'mirror'hwtex_linear(1), y : vec, pos : int)
    y[pos] = x[0.5*pos - 1]
endfunction
function [] = __kernel__ circular(x : vec'circular'hwtex_linear, y : vec, pos : int)
    y[pos] = x[0.5*pos - 1]
endfunction
function [] = __kernel__ mirrored_nearest(x : ivec'mirror'hwtex_nearest, y : vec, pos : int)
    y[pos] = x[0.5*pos - 1]
endfunction
function v : scalar = __device__ sample(x : mat'hwtex_linear'clamped, p : vec2)
    v = x[p]
endfunction
function [] = __kernel__ zoom(x : mat'hwtex_linear'clamped, y : mat, s : scalar, pos : ivec2)
    y[pos] = x[s * pos] + 100 * sample(x, [0.5, 1.5]) + 10000 * x[pos[0], 0.25]
endfunction
function [] = __kernel__ volume(x : cube'hwtex_linear, y : vec, pos : int)
    y[pos] = pos > 1 ? x[0.5, 0.5, 0.25 * pos] : x[0, 1, pos]
endfunction
function [] = __kernel__ colours(x : cube(:,:,3)'hwtex_linear(4), y : mat, pos : ivec2)
    v = x[0.5, pos[0] + 0.5, 0..2]
    y[pos] = v[pos[1]] + 100 * x[pos[0], 0, 1] + 10000 * x[0, pos[0] + 0.5, 2]
endfunction
function [] = __kernel__ padded(x : cube(:,:,3)'hwtex_nearest(4), y : mat, pos : ivec2)
    v = x[0.4, 0.6, 0..3]
    y[pos] = v[pos[1]]
endfunction
function [] = __kernel__ halves(x : vec[scalar'half]'hwtex_linear, y : vec, pos : int)
    y[pos] = x[pos + 0.5]
endfunction
function [] = __kernel__ doubles(x : vec[scalar'double]'hwtex_nearest, y : vec[scalar'double], pos : int)
    y[pos] = x[pos]
endfunction
function [] = __kernel__ read_only(x : vec'hwtex_const, y : vec, pos : int)
    y[pos] = x[pos] + x[pos + 1]
endfunction
function [] = warp(x : mat'hwtex_linear'clamped, y : mat)
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            y[m,n] = x[m + 0.25, n - 0.5]
        endfor
    endfor
endfunction
function s : scalar = along(x : vec'hwtex_linear'clamped, n : int)
    s = 0.0
    p = 0.0
    while x[p] < 5
        p += 0.5
        s += x[p]
    endwhile
    s += n * p
endfunction
function [] = main()
    x = [1.0, 2, 4, 8]
    y = zeros(11)
    parallel_do(11, x, y, nearest)
    print y
    parallel_do(11, x, y, linear)
    print y
    parallel_do(11, x, y, clamped)
    print y
    parallel_do(11, x, y, mirrored)
    print y
    parallel_do(11, x, y, circular)
    print y
    parallel_do(11, [1,2,4,8], y, mirrored_nearest)
    print y
    m = reshape(float(0..5), [2,3])
    z = zeros(3, 5)
    parallel_do(size(z), m, z, 0.5, zoom)
    print z
    c = reshape(float(0..7), [2,2,2])
    v = zeros(6)
    parallel_do(6, c, v, volume)
    print v
    rgb = reshape(float(0..11), [2,2,3])
    w = zeros(2, 3)
    parallel_do(size(w), rgb, w, colours)
    print w
    w = zeros(1, 4)
    parallel_do(size(w), rgb, w, padded)
    print w
    h = vec[scalar'half](4)
    for k = 0..3
        h[k] = x[k]
    endfor
    u = zeros(4)
    parallel_do(4, h, u, halves)
    print u
    d = vec[scalar'double](2)
    d[0] = 1.0 / 3
    d[1] = 2
    e = vec[scalar'double](2)
    parallel_do(2, d, e, doubles)
    print e[0] == float(1.0 / 3), e[1]
    parallel_do(4, x, u, read_only)
    print u
    t = zeros(2, 3)
    warp(m, t)
    print t
    print along(x, 100)
    % The elements change between launches.
    x[0] = 3
    parallel_do(11, x, y, nearest)
    print y
endfunction
