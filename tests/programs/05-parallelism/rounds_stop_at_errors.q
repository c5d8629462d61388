% A position that fails stops at the statement that fails, as in order: what it stored before stays, and nothing behind it is done. What other
% positions have done is open, and so is whether threads of devices that visit several go on.
function y : scalar = __device__ above(x : scalar, limit : scalar)
    assert(x > limit, "too small")
    y = x * 2
endfunction
function [] = __kernel__ asserting(x : vec, y : vec, pos : int)
    {!kernel target="cpu"}
    y[pos] = 1
    y[pos] = above(x[pos], 0.0)
endfunction
function [] = __kernel__ read(x : vec'checked, y : vec, k : ivec, pos : int)
    {!kernel target="cpu"}
    y[pos] = 1
    v = x[k[pos]]
    y[pos] = 10 + v
endfunction
function [] = __kernel__ small(y : vec, k : ivec, pos : int)
    {!kernel target="cpu"}
    w : vec'checked = [1.0, 2, 3, 4]
    y[pos] = 1
    y[pos] = 10 + w[k[pos]]
endfunction
function [] = __kernel__ in_a_loop(x : vec'checked, y : vec, k : ivec, pos : int)
    {!kernel target="cpu"}
    y[pos] = 1
    s = 0.0
    for n = 0..2
        s += x[k[pos] + n]
    endfor
    y[pos] = s
endfunction
function [] = __kernel__ stored(y : vec'checked, z : vec, k : ivec, pos : int)
    {!kernel target="cpu"}
    y[k[pos]] = 5
    z[pos] = 7
endfunction
function [] = __kernel__ narrowed(x : vec, b : vec[int8], y : vec, pos : int)
    {!kernel target="cpu"}
    y[pos] = 1
    b[pos] = x[pos]
    y[pos] = 7
endfunction
% The element of the position that fails.
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
    shown(() -> parallel_do(n, x, y, k, read), y, 40)
    y = zeros(n)
    positive = x + 1
    positive[40] = -1
    shown(() -> parallel_do(n, positive, y, asserting), y, 40)
    y = zeros(n)
    shown(() -> parallel_do(n, y, int(k / 25), small), y, 40)
    y = zeros(n)
    shown(() -> parallel_do(1, x, y, [n - 2], in_a_loop), y, 0)
    y = zeros(n)
    z = zeros(n)
    k = 0..n-1
    k[40] = -1
    shown(() -> parallel_do(n, y, z, k, stored), z, 40)
    w = x
    w[40] = 1000
    y = zeros(n)
    shown(() -> parallel_do(n, w, vec[int8](n), y, narrowed), y, 40)
endfunction
