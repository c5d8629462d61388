% Two variables that were read from objects or cells may name one array: iterations that depend on each other stay in order.
type holder : mutable class
    data  : vec
    other : vec
endtype
function [] = one_object(p : holder)
    a = p.data
    b = p.data
    for k = 1..numel(a)-1
        a[k] = b[k-1] + 1
    endfor
endfunction
function [] = two_objects(p : holder, q : holder)
    a = p.data
    b = q.data
    for k = 1..numel(a)-1
        a[k] = b[k-1] + 1
    endfor
endfunction
function [] = fields(p : holder)
    a = p.data
    b = p.other
    for k = 1..numel(a)-1
        a[k] = b[k-1] + 1
    endfor
endfunction
function [] = put_in(p : holder, z : vec)
    p.data = z
    a = p.data
    for k = 1..numel(a)-1
        a[k] = z[k-1] + 1
    endfor
endfunction
function [] = cells(n : int, i : int, j : int)
    z = zeros(n)
    c : vec[vec] = {z, ones(n)}
    a = c[i]
    b = c[j]
    for k = 1..n-1
        a[k] = b[k-1] + 1
    endfor
    print z[n-1]
    c[1] = z
    d = c[1]
    for k = 1..n-1
        d[k] = 2 + z[k-1]
    endfor
    print z[n-1]
endfunction

p = holder(data:=zeros(100), other:=ones(100))
one_object(p)
print p.data[99]
p.data = zeros(100)
two_objects(p, p)
print p.data[99]
fields(p)
print p.data[99]
put_in(p, zeros(100))
print p.data[99]
cells(100, 0, 0)
