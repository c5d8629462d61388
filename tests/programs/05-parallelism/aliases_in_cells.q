% Elements of cells, cells of cells, and arrays of objects.
type holder : mutable class
    data : vec
endtype
function [] = two_elements(c : vec[vec], i : int, j : int)
    a = c[i]
    b = c[j]
    for k = 1..numel(a) - 1
        a[k] = b[k - 1] + 1
    endfor
endfunction
function c : vec[vec] = wrapped(x : vec)
    c = {x, x}
endfunction
function [] = put(c : vec[vec], k : int, x : vec)
    c[k] = x
endfunction
function y : vec = taken(c : vec[vec], k : int)
    y = c[k]
endfunction
function [] = element_and_parameter(c : vec[vec], x : vec)
    a = c[0]
    for k = 1..numel(x) - 1
        x[k] = a[k - 1] + 2
    endfor
endfunction
function [] = of_objects(h : vec[holder], i : int, j : int)
    a = h[i].data
    b = h[j].data
    for k = 1..numel(a) - 1
        a[k] = b[k - 1] + 3
    endfor
endfunction
function [] = deep(d : vec[vec[vec]])
    a = d[0][0]
    b = d[1][1]
    for k = 1..numel(a) - 1
        b[k] = a[k - 1] + 4
    endfor
endfunction
function [] = both(c : vec[vec], i : int, j : int)
    a = c[i]
    b = c[j]
    for k = 0..numel(a) - 1
        a[k] = k
        b[numel(b) - 1 - k] = 2 * k
    endfor
endfunction
function [] = visited(c : vec[vec], x : vec)
    for a = c
        for k = 1..numel(x) - 1
            x[k] = a[k - 1] + 1
        endfor
    endfor
endfunction
function [] = main()
    x = zeros(6)
    c : vec[vec] = {x, ones(6), x}
    two_elements(c, 0, 1)
    print x
    two_elements(c, 0, 2)
    print x
    two_elements(c, 2, 2)
    print c[0]
    w = wrapped(x)
    a = w[0]
    b = w[1]
    for k = 1..5
        a[k] = b[k - 1] + 2
    endfor
    print x
    put(c, 1, x)
    a = c[1]
    for k = 4..-1..0
        a[k] = x[k + 1] + 3
    endfor
    print x
    a = taken(c, 2)
    for k = 1..5
        a[k] = x[k - 1]
    endfor
    print x
    element_and_parameter(c, x)
    print x
    element_and_parameter(c, ones(6))
    element_and_parameter({ones(6), x}, x)
    print x
    h : vec[holder] = {holder(data:=x), holder(data:=ones(6))}
    h[1].data = x
    of_objects(h, 0, 1)
    print h[1].data
    d : vec[vec[vec]] = {c, w}
    deep(d)
    print x
    both(c, 0, 2)
    print x
    both({zeros(6), x}, 0, 1)
    print x
    visited(c, x)
    print x
    mixed = {x, 1, "text"}
    y : vec = mixed[0]
    for k = 1..5
        y[k] = x[k - 1] + 5
    endfor
    print x
    mixed[1] = y
    z : vec = mixed[1]
    for k = 1..5
        x[k] = z[k - 1] + 6
    endfor
    print y
endfunction
