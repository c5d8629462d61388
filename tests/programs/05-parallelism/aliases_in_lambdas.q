% Lambdas that give back what they captured, or what they are given; functions as values; tuples.
function y = applied(f : [vec -> vec], x : vec)
    y = f(x)
endfunction
function [] = chosen(x : vec, k : int)
    o = ones(numel(x))
    if k > 0
        f = () -> x
    else
        f = () -> o
    endif
    b = f()
    for k = 1..numel(x) - 1
        x[k] = b[k - 1] + 1
    endfor
endfunction
function y : vec = again(x : vec, k : int)
    if k == 0
        y = x
    else
        y = again(x, k - 1)
    endif
endfunction
function y : vec = even(x : vec, k : int)
    y = x
    if k > 0
        y = odd(x, k - 1)
    endif
endfunction
function y : vec = odd(x : vec, k : int)
    y = zeros(numel(x))
    if k > 0
        y = even(x, k - 1)
    endif
endfunction
type tool : mutable class
    f : ??
endtype
function [] = main()
    x = zeros(6)
    f = () -> x
    b = f()
    for k = 1..5
        x[k] = b[k - 1] + 1
    endfor
    print x
    g = y -> y
    b = g(x)
    for k = 1..5
        b[k] = x[k - 1] + 2
    endfor
    print x
    b = applied(y -> y, x)
    for k = 1..5
        b[k] = x[k - 1] + 3
    endfor
    print x
    twice = y -> g(g(y))
    b = twice(x)
    for k = 1..5
        x[k] = b[k - 1] + 4
    endfor
    print x
    chosen(x, 1)
    print x
    chosen(x, 0)
    print x
    b = again(x, 3)
    for k = 1..5
        x[k] = b[k - 1] + 5
    endfor
    print x
    b = even(x, 2)
    for k = 1..5
        x[k] = b[k - 1] + 6
    endfor
    print x
    b = even(x, 1)
    for k = 1..5
        x[k] = b[k - 1] + 7
    endfor
    print x
    h = () -> f
    inner = h()
    b = inner()
    for k = 4..-1..0
        b[k] = x[k + 1] + 1
    endfor
    print x
    t = tool(f:=(y -> y))
    b : vec = t.f(x)
    for k = 1..5
        x[k] = b[k - 1] + 8
    endfor
    print x
    o = ones(6)
    pick = (p, k) -> k > 0 ? p : o
    b = pick(x, 1)
    for k = 1..5
        x[k] = b[k - 1] + 9
    endfor
    print x
endfunction
