% Arrays of sizes that are known at run time only, made by the threads of kernels: a median filter whose window is a
% parameter, with device functions that take and give such arrays, and the transpose of blocks.
function y = __device__ window(x : mat'mirror, p : ivec2, n : int)
    y = x[p[0]-n..p[0]+n, p[1]-n..p[1]+n]
endfunction

function m = __device__ middle(v : vec)
    w = copy(v)
    for i = 1..numel(w)-1
        k = i
        t = w[i]
        while k > 0 && w[k-1] > t
            w[k] = w[k-1]
            k = k - 1
        endwhile
        w[k] = t
    endfor
    m = w[int(numel(w)/2)]
endfunction

function [] = __kernel__ median_filter(x : mat'mirror, y : mat, n : int, pos : ivec2)
    r = window(x, pos, n)
    v = reshape(r, [numel(r)])
    y[pos] = middle(v)
endfunction

function [] = __kernel__ transpose_blocks(x : mat, y : mat, n : int, pos : ivec2)
    b = x[pos[0]*n..pos[0]*n+n-1, pos[1]*n..pos[1]*n+n-1]
    y[pos[1]*n..pos[1]*n+n-1, pos[0]*n..pos[0]*n+n-1] = transpose(b)
endfunction

% What functions give, of sizes that their arguments decide.
function y = __device__ powers(x : scalar, n : int)
    y = ones(n)
    for k = 1..n-1
        y[k] = y[k-1] * x
    endfor
endfunction

function [y, z] = __device__ both(n : int)
    y = powers(2, n)
    z = powers(3, n + 1)
endfunction

function [] = __kernel__ polynomials(y : vec, n : int, pos : int)
    p = powers(pos + 1, n + mod(pos, 3))
    [a, b] = both(mod(pos, 4))
    y[pos] = sum(p) + 1000 * sum(a) + 100000 * sum(b)
endfunction

function [] = main()
    x = zeros(6,8)
    for i = 0..5
        for j = 0..7
            x[i,j] = mod(i*17 + j*5, 13)
        endfor
    endfor
    y = zeros(size(x))
    for n = 0..2
        parallel_do(size(x), x, y, n, median_filter)
        print y
    endfor
    t = zeros(8,6)
    for n = 1..2
        parallel_do([int(6/n), int(8/n)], x, t, n, transpose_blocks)
        print sum(abs(t - transpose(x)))
    endfor
    p = zeros(7)
    parallel_do(7, p, 3, polynomials)
    print p
endfunction
