function y = inner(x : scalar)
    if x < 0
        error "negative ", x
    endif
    assert(x < 10, "too large ", x)
    v = [1, 2, 3]
    y = v[int(x)]
endfunction
function y = middle(x : scalar)
    y = 0
    try
        y = inner(x)
    catch e : qassertexception
        print "assert: ", e.message
        y = -1
    endtry
    y = y + inner(x / 2)
endfunction
function [a, b] = pair(x : scalar)
    a = inner(x)
    b = inner(x + 1)
endfunction
function [] = attempt(f)
    try
        print f()
    catch e : qindexexception
        print "index: ", e.message
    catch e : quserexception
        print "user: ", e.message
    catch e
        print "other: ", e.message
    endtry
endfunction
function y = both(x : scalar)
    [y, z] = pair(x)
    y = 10 * y + z
endfunction
function y = swapped(x : scalar)
    a = 1
    b = 2
    try
        [a, b] = pair(x)
    catch e
        print "kept"
    endtry
    y = 10 * a + b
endfunction
function y = rounds(n : int)
    y = 0
    for k = 0..n
        try
            if k == 2
                continue
            endif
            if k == 5
                break
            endif
            y = y + inner(k)
        catch e
            y = y + 100
        endtry
    endfor
endfunction
function [y : int] = deep(n : int)
    if n == 0
        error "deep"
    endif
    try
        y = deep(n - 1)
    catch e
        error(e.message, " ", n)
    endtry
endfunction
attempt(() -> middle(1))
attempt(() -> middle(4))
attempt(() -> middle(12))
attempt(() -> middle(30))
attempt(() -> middle(-1))
attempt(() -> both(1))
attempt(() -> both(2))
attempt(() -> swapped(1))
attempt(() -> swapped(2))
attempt(() -> rounds(1))
attempt(() -> rounds(9))
attempt(() -> deep(3))
try
    try
        x = inner(7)
    catch e : quserexception
        print "never"
    endtry
catch e
    print "outer ", e.message
endtry
