% One target takes the first result; cells give as many elements as there are targets; `message` is a field and a method.
function [a, b] = two()
    a = 1
    b = 2
endfunction
[p] = two()
q = two()
print p, q
v = zeros(2)
[v[1]] = two()
print v
c : cell = {1, 2}
try
    [x] = c
    print x
catch e
    print e.message
endtry
try
    error("m", 1)
catch e : qexception
    print e.message, e.message()
endtry
function c = mixed(first)
    c = {first, "x", 3}
endfunction
[r, s, t] = mixed(1)
print r, s, t
