% A round that fails stops at the statement that fails, as in order: what it stored before stays, and nothing behind it is done. What other
% rounds have done is open.
function y : scalar = __device__ above(x : scalar, limit : scalar)
    assert(x > limit, "too small")
    y = x * 2
endfunction
function [] = __kernel__ asserting(x : vec, y : vec, pos : int)
    y[pos] = 1
    y[pos] = above(x[pos], 0.0)
endfunction
function [] = __kernel__ checked(x : vec'checked, y : vec, k : ivec, pos : int)
    y[pos] = 1
    v = x[k[pos]]
    y[pos] = 10 + v
endfunction
function [] = __kernel__ small(y : vec, k : ivec, pos : int)
    w : vec'checked = [1.0, 2, 3, 4]
    y[pos] = 1
    y[pos] = 10 + w[k[pos]]
endfunction
function [] = __kernel__ in_a_loop(x : vec'checked, y : vec, k : ivec, pos : int)
    y[pos] = 1
    s = 0.0
    for n = 0..2
        s += x[k[pos] + n]
        y[pos] = s + 10
    endfor
    y[pos] = -1
endfunction
function [] = gathered(x : vec, y : vec, k : ivec)
    for n = 0..numel(y)-1
        y[n] = x[k[n]]
    endfor
endfunction
function [] = written_twice(x : vec, y : vec, k : ivec)
    {!parallel for}
    for n = 0..numel(y)-1
        y[n] = 1
        v = x[k[n]]
        y[n] = 10 + v
    endfor
endfunction
function [] = stored(y : vec, z : vec, k : ivec)
    {!parallel for}
    for n = 0..numel(y)-1
        y[k[n]] = 5
        z[n] = 7
    endfor
endfunction
function [] = narrowed(x : vec, b : vec[int8], y : vec)
    {!parallel for}
    for n = 0..numel(y)-1
        b[n] = x[n]
        y[n] = 7
    endfor
endfunction
% The element of the round that fails.
function [] = shown(f, y : vec, at : int)
    try
        f()
        print "no error"
    catch ex
        print "caught"
    endtry
    print y[at]
endfunction
function [] = main()
    n = 100
    x = float(0..n-1)
    k = mod(7 * (0..n-1), n)
    k[40] = n + 3
    y = zeros(n)
    shown(() -> gathered(x, y, k), y, 40)
    shown(() -> written_twice(x, y, k), y, 40)
    y = zeros(n)
    shown(() -> parallel_do(n, x, y, k, checked), y, 40)
    y = zeros(n)
    positive = x + 1
    positive[40] = -1
    shown(() -> parallel_do(n, positive, y, asserting), y, 40)
    y = zeros(n)
    shown(() -> parallel_do(n, y, int(k / 25), small), y, 40)
    y = zeros(n)
    k[40] = n - 2
    shown(() -> parallel_do(1, x, y, [n - 2], in_a_loop), y, 0)
    y = zeros(n)
    z = zeros(n)
    k = 0..n-1
    k[40] = -1
    shown(() -> stored(y, z, k), z, 40)
    y = zeros(n)
    w = x
    w[40] = 1000
    shown(() -> narrowed(w, vec[int8](n), y), y, 40)
endfunction
