% Kernels that write to textures: a launch reads what was there before it.
function [] = __kernel__ fill(x : mat'hwtex_nearest, v : scalar, pos : ivec2)
    x[pos] = v
endfunction
function [] = __kernel__ add_one(x : mat'hwtex_nearest, pos : ivec2)
    x[pos] = x[pos] + 1
    x[pos] = x[pos] + 1
endfunction
function [] = __kernel__ shift(x : vec'circular'hwtex_nearest, y : vec, pos : int)
    x[pos] = x[pos - 1]
    y[pos] = x[pos + 0.4]
endfunction
function v : scalar = __device__ left(x : mat'clamped'hwtex_nearest, p : ivec2)
    v = x[p[0], p[1] - 1]
endfunction
function [] = __kernel__ blur(x : mat'clamped'hwtex_nearest, pos : ivec2)
    x[pos] = (left(x, pos) + x[pos[0], pos[1] + 1]) / 2
endfunction
function [] = __kernel__ colours(x : cube(:,:,3)'hwtex_nearest(4), pos : ivec2)
    c = x[pos[0], pos[1], 0..2]
    x[pos[0], pos[1], 0..2] = [c[2], c[0], c[1]]
    if sum(pos) == 2
        x[1, 1, 0] = -c[0]
    endif
endfunction
function [] = __kernel__ count(x : ivec'hwtex_nearest, pos : int)
    x[pos] = numel(x) + x[numel(x) - 1 - pos]
endfunction
function [] = main()
    x = zeros(4, 6)
    parallel_do(size(x), x, 0.5, fill)
    parallel_do(size(x), x, add_one)
    print mean(x)
    parallel_do(size(x), x, 2, fill)
    print mean(x)
    v = [1.0, 2, 3, 4]
    w = zeros(4)
    for k = 0..1
        parallel_do(4, v, w, shift)
        print v, " ", w
    endfor
    m = reshape(float(0..7), [2,4])
    serial_do(size(m), m, blur)
    print m
    parallel_do(size(m), m, blur)
    print m
    c = reshape(float(0..11), [2,2,3])
    parallel_do([2,2], c, colours)
    print c
    n = [1, 2, 3]
    parallel_do(3, n, count)
    print n
endfunction
