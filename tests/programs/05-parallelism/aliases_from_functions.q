% A function may give back what it was given: the loop behind the call reads and writes one array, and stays in order.
function y : vec = cleared(x : vec)
    x[0] = 0
    y = x
endfunction
function y = itself(x)
    y = x
endfunction
function y : vec = through_two(x : vec)
    y = itself(cleared(x))
endfunction
function y : vec = one_of(x : vec, other : vec, k : int)
    if k > 0
        y = x
    else
        y = other
    endif
endfunction
function [first : vec, second : vec] = swapped(x : vec, other : vec)
    first = other
    second = x
endfunction
function y : vec = renamed(x : vec)
    t = x
    u = t
    y = u
endfunction
function y : vec = last_of(x : vec, n : int)
    y = zeros(numel(x))
    for k = 0..n - 1
        y = x
    endfor
endfunction
function y : vec = replaced(x : vec)
    x = x + 1
    y = x
endfunction
function [] = edit_and_return(a : vec)
    b = cleared(a)
    for k = 1..numel(a) - 1
        a[k] = b[k - 1] + 1
    endfor
endfunction
function [] = generic(a : vec)
    b = itself(a)
    for k = 1..numel(a) - 1
        b[k] = 2 * a[k - 1]
    endfor
endfunction
function [] = nested(a : vec)
    b = through_two(a)
    for k = 1..numel(a) - 1
        a[k] = b[k - 1] + 3
    endfor
endfunction
function [] = branching(a : vec, k : int)
    o = ones(numel(a))
    b = one_of(a, o, k)
    for k = 1..numel(a) - 1
        a[k] = b[k - 1] + 4
    endfor
endfunction
function [] = several_results(a : vec)
    o = ones(numel(a))
    [p, q] = swapped(a, o)
    for k = 1..numel(a) - 1
        q[k] = a[k - 1] + p[k]
    endfor
endfunction
function [] = through_names(a : vec)
    b = renamed(a)
    for k = 1..numel(a) - 1
        a[k] = b[k - 1] + 5
    endfor
endfunction
function [] = from_a_loop(a : vec, n : int)
    b = last_of(a, n)
    for k = 1..numel(a) - 1
        a[k] = b[k - 1] + 6
    endfor
endfunction
function [] = not_one(a : vec)
    b = replaced(a)
    for k = 1..numel(a) - 1
        a[k] = b[k - 1] + 7
    endfor
endfunction
function [] = given_twice(a : vec)
    b = itself(a)
    c = itself(b)
    for k = 0..numel(a) - 2
        c[k + 1] = b[k] + a[k] + 1
    endfor
endfunction
function [] = main()
    x = ones(7)
    edit_and_return(x)
    print x
    generic(x)
    print x
    x = ones(7)
    generic(x)
    print x
    nested(x)
    print x
    branching(x, 1)
    print x
    branching(x, 0)
    print x
    several_results(x)
    print x
    through_names(x)
    print x
    from_a_loop(x, 0)
    print x
    from_a_loop(x, 2)
    print x
    not_one(x)
    print x
    given_twice(x)
    print x
endfunction
