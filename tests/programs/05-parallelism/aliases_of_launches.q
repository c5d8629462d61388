% Kernels that are launched with one array under two names that only the run can tell apart.
function [] = __kernel__ both(x : vec, y : vec, pos : int)
    x[pos] += 1
    y[pos] += 10
endfunction
function [] = __kernel__ fill(x : vec, y : vec, v : scalar, pos : int)
    x[pos] = v
    y[pos] = v + 1
endfunction
function [] = __kernel__ own(x : vec, y : vec, pos : int)
    y[pos] = 2 * x[pos]
endfunction
function [] = __kernel__ three(x : mat, y : mat, z : mat, pos : ivec2)
    x[pos] += 1
    y[pos] += 10
    z[pos] += 100
endfunction
function [] = call_both(a : vec, b : vec)
    parallel_do(numel(a), a, b, both)
endfunction
function [] = call_fill(a : vec, b : vec)
    parallel_do(numel(a), a, b, 3.0, fill)
endfunction
function [] = call_own(a : vec, b : vec)
    parallel_do(numel(a), a, b, own)
endfunction
function [] = call_three(a : mat, b : mat, c : mat)
    parallel_do(size(a), a, b, c, three)
endfunction
function [] = call_in_order(a : vec, b : vec)
    serial_do(numel(a), a, b, both)
endfunction
function y = itself(x)
    y = x
endfunction
type holder : mutable class
    data : vec
endtype
function [] = main()
    x = zeros(5)
    y = zeros(5)
    call_both(x, y)
    print x, y
    call_both(x, x)
    print x
    call_fill(x, y)
    print x, y
    call_fill(x, x)
    print x
    call_own(x, x)
    print x
    call_in_order(x, x)
    print x
    m = zeros(2,3)
    n = zeros(2,3)
    call_three(m, n, m)
    print m, n
    call_three(m, m, m)
    print m
    call_three(m, n, n)
    print m, n
    b = itself(x)
    parallel_do(5, x, b, both)
    print x
    h = holder(data:=x)
    parallel_do(5, h.data, x, both)
    print x
    c : vec[vec] = {x, x}
    p = c[0]
    q = c[1]
    parallel_do(5, p, q, both)
    print x
endfunction
