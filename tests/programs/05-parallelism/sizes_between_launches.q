% Sizes that differ are errors also between launches that could be one.
function [] = two(b : vec, c : vec, f : scalar)
    t1 = c .* 2
    t2 = (c + f) + (b + b)
    print t1, t2
endfunction
function [] = three(a : vec, b : vec, c : vec)
    t = a + 1
    u = t .* b
    v = u - c
    print t, u, v
endfunction
function [] = matrices(a : mat, b : mat, c : mat)
    t = a + 1
    u = t + b
    s = sum(u)
    v = u .* c + s
    print t, u, v
endfunction
function [] = in_loop(a : vec, b : vec)
    for k = 0..1
        t = a + k
        u = t .* b
        print u
    endfor
endfunction
function [] = by_loops(a : vec, b : vec, c : vec)
    t = a + b
    u = zeros(numel(t))
    for i = 0..numel(t)-1
        u[i] = t[i] * 2
    endfor
    v = u + c
    print v
endfunction
function [] = attempt(f)
    try
        f()
    catch e
        print e.message
    endtry
endfunction
function [] = main()
    x = [1.0,2,3]
    y = [4.0,5]
    attempt(() -> two(x, x, 2.0))
    attempt(() -> two(x, y, 2.0))
    attempt(() -> two(y, x, 2.0))
    attempt(() -> three(x, x, x))
    attempt(() -> three(x, y, x))
    attempt(() -> three(x, x, y))
    attempt(() -> three(y, x, x))
    m = ones(2,3)
    attempt(() -> matrices(m, m, m))
    attempt(() -> matrices(m, ones(3,2), m))
    attempt(() -> matrices(m, m, ones(2,2)))
    attempt(() -> matrices(ones(1,3), m, m))
    attempt(() -> in_loop(x, x))
    attempt(() -> in_loop(x, y))
    attempt(() -> by_loops(x, x, x))
    attempt(() -> by_loops(x, y, x))
    attempt(() -> by_loops(x, x, y))
endfunction
