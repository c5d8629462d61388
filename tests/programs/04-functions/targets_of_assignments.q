% Declarations, several targets of every kind, and errors of calls whose values are dropped.
x : int
y : vec3
s : string
print x, y, s
function [] = scp(n)
    if n > 0
        inside = 5
    endif
    print inside
endfunction
scp(1)
v : 'const = 3
print v
function [a,b,c] = three()
    a = 1
    b = 2
    c = 3
endfunction
[p,_,q] = three()
print p, q
[p,q] = three()
print p, q
[h,w] = [4,5]
print h, w
[h,w] = size(zeros(6,7))
print h, w
[g,l] = {1,"x"}
print g, l
try
    cc : cell = {1,2.5,"x"}
    [gg,l2] = cc
    print "no"
catch e
    print e.message
endtry
function [] = toomany(v : vec)
    try
        [g1,l1] = v
        print "no"
    catch e
        print e.message
    endtry
endfunction
toomany([1,2,3])
[only] = {"z"}
print only
z = zeros(3)
type ob : mutable class
    f : int
endtype
o = ob()
[z[1], o.f, t : scalar] = three()
print z, o, type(t)
[_,_,_] = three()
function [r1, r2] = failing(x)
    r1 = x
    r2 = x
    error("fails")
endfunction
try
    [a1,_] = failing(1)
catch e
    print e.message
endtry
try
    [_,_] = failing(1)
catch e
    print e.message
endtry
