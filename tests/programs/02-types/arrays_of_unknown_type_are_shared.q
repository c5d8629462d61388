% Arrays in cells and objects, whose types are known when the program runs, are changed under all their names.
type box : mutable class
    f : ??
endtype
function y : ?? = unknown(x : ??)
    y = x
endfunction
function [] = second(c)
    b = c[1]
    b .*= 2
    print b, c
endfunction
k = [1.0,2,3]
second({k, [2.0,2,2]})
second({k, 1..3})
second({k, zeros(2)})
c = {[1.0,2], (0..2)*1.0, k[0..1]}
for i = 0..2
    b = c[i]
    b += 1
    b[0] = 7
endfor
print c, k
% Where the type of the elements or the shape changes, there is a new array.
x = unknown([1,2])
y = x
x += 1
print x, y
x += 0.5
print x, y
x = unknown([1.0,2])
y = x
x -= y
x[0] += 5
print x, y
m = unknown(k > 1)
n = m
m += 1
print m, n
s = unknown("a")
t = s
s += "b"
print s, t
e = unknown({1, [1,2]})
f = e
e += 1
print e, f
% Fields and properties are places as variables are.
d = {a := [1.0,2], b := "x"}
q = d.a
d.a += 1
q[0] = 8
print d, q
o = box(f := [1.0,3])
g = o.f
o.f += 1
g *= 2
print g, o.f
% One index of a matrix is a row.
r = {ones(2,3), [1.0,2], "a"}
for i = 0..1
    p = r[i]
    print p[0]
    p[0] = p[0] + 41
    p[1] = 3
    p[0] += 1
    print p
endfor
% Cells of many types.
u = {1,2.5,"a",[1,2],1,2.5,"a",[1,2],7}
print u, u[8] + 1
u = {1,2.5,"a",[1,2],1,2.5,"a",[1,2],1,2.5,"a",[1,2],1,2.5,"a",[1,2],1,2.5}
v = u[3]
v += 1
print u, numel(u)
