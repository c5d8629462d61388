% Arrays in fields, objects in objects, and what constructors and methods are given.
type holder : mutable class
    data  : vec
    other : vec
endtype
type outer : mutable class
    left  : ^holder
    right : ^holder
endtype
type node : mutable class
    data : vec
    next : ^node
endtype
function [] = field_and_parameter(h : holder, z : vec)
    b = h.data
    for k = 1..numel(z) - 1
        z[k] = b[k - 1] + 1
    endfor
endfunction
function [] = parameter_and_field(h : holder, z : vec)
    b = h.data
    for k = 1..numel(z) - 1
        b[k] = z[k - 1] + 2
    endfor
endfunction
function y : vec = data_of(h : holder)
    y = h.data
endfunction
function [] = keep(h : holder, z : vec)
    h.data = z
endfunction
function h : holder = made(z : vec)
    h = holder(data:=z, other:=zeros(1))
endfunction
function y : vec = inner(o : outer)
    y = o.left.data
endfunction
function [] = two_fields(h : holder)
    a = h.data
    b = h.other
    for k = 1..numel(a) - 1
        a[k] = b[k - 1] + 3
    endfor
endfunction
function [] = along(first : ^node, z : vec)
    d = first.next.data
    for k = 1..numel(z) - 1
        z[k] = d[k - 1] + 4
    endfor
endfunction
function [] = both(h : holder, z : vec)
    b = h.data
    for k = 0..numel(z) - 1
        z[k] = k
        b[k] += 1
    endfor
endfunction
function [] = main()
    x = zeros(6)
    h = holder(data:=x, other:=ones(6))
    field_and_parameter(h, x)
    print h.data
    parameter_and_field(h, x)
    print x
    field_and_parameter(h, ones(6))
    print x
    a = data_of(h)
    for k = 1..5
        a[k] = x[k - 1] + 1
    endfor
    print h.data
    z = ones(6)
    keep(h, z)
    b = h.data
    for k = 1..5
        z[k] = 2 * b[k - 1]
    endfor
    print h.data
    g = made(z)
    b = g.data
    for k = 4..-1..0
        b[k] = z[k + 1] - 1
    endfor
    print z
    h.data = z
    h.other = h.data
    two_fields(h)
    print z
    one = holder(data:=z, other:=z)
    o = outer(left:=one, right:=one)
    b = inner(o)
    c = o.right.data
    for k = 1..5
        c[k] = b[k - 1] + 5
    endfor
    print one.data
    d : node = node(data:=z, next:=nullptr)
    e : node = node(data:=ones(6), next:=d)
    along(e, e.data)
    print e.data
    along(e, d.data)
    print d.data
    both(h, z)
    print z
    both(h, ones(6))
    print h.data
endfunction
