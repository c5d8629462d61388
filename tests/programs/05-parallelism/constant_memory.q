% Parameters in constant memory: of any and of known sizes, of several types, with boundary modes, passed on to device
% functions, changed between launches, without elements, of more dimensions.
function [] = __kernel__ taps(x : vec'mirror, y : vec, f : vec'hwconst, pos : int)
    s = 0.0
    for k = 0..numel(f)-1
        s += f[k] * x[pos + k - int(numel(f)/2)]
    endfor
    y[pos] = s
endfunction
function y : scalar = __device__ polynomial(c : vec'circular, x : scalar)
    y = 0.0
    for k = 0..numel(c)-1
        y = y * x + c[k]
    endfor
    y += c[numel(c)]
endfunction
function [] = __kernel__ values(x : vec, y : vec, a : vec'hwconst'circular, b : vec(100)'hwconst, i : vec[uint8]'hwconst, m : mat'hwconst'clamped, pos : int)
    y[pos] = polynomial(a, x[pos]) + 1000 * b[pos + 90] + i[pos] + m[pos, 7]
endfunction
function [] = __kernel__ own(x : vec'hwconst, y : vec, pos : int)
    y[pos] = 2 * x[pos]
endfunction
function [] = __kernel__ both(x : vec'hwconst, y : vec, pos : int)
    y[pos] += x[0]
endfunction
function s : scalar = __kernel__ weighted(x : vec, f : vec'hwconst, pos : int)
    s += x[pos] * f[mod(pos, 3)]
endfunction
function [] = __kernel__ scatter(f : vec'hwconst, y : vec, pos : int)
    y[4 - pos] = f[pos] + f[pos + 100]
endfunction
function [] = smooth(x : vec, y : vec, f : vec'hwconst)
    for n = 0..numel(x)-1
        s = 0.0
        for k = 0..numel(f)-1
            s += f[k] * x[max(n-k, 0)]
        endfor
        y[n] = s
    endfor
endfunction
function c : vec = numbers(n : int)
    c = zeros(n)
    for k = 0..n-1
        c[k] = k + 1
    endfor
endfunction
function [] = main()
    x = float(0..9)
    y = zeros(10)
    f = [1.0, 2, 1]
    parallel_do(10, x, y, f, taps)
    print y
    % Changed on the host, then by a kernel, then another array of another length.
    f[0] = 0
    parallel_do(10, x, y, f, taps)
    print y
    for k = 0..3
        parallel_do(3, f, f, __kernel__ (a : vec, b : vec, pos : int) -> b[pos] = a[pos] + 1)
        parallel_do(10, x, y, f, taps)
        print y[0], " ", y[5]
    endfor
    parallel_do(10, x, y, [1.0], taps)
    print y
    b = zeros(100)
    b[90..99] = 1..10
    parallel_do(10, x, y, numbers(2), b, vec[uint8](10), float([[1,2,3],[4,5,6]]), values)
    print y
    parallel_do(10, x, y, own)
    print y
    parallel_do(10, y, y, both)
    print y[9]
    print parallel_do(10, x, [1.0, 10, 100], weighted)
    parallel_do(5, float(1..5), y, scatter)
    print y
    parallel_do(5, zeros(0), y, scatter)
    print y
    smooth(x, y, [0.5, 0.5])
    print y
endfunction
