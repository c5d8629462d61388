% A literal that is declared as a cell is one, whatever its elements are; a typed one under another name stays what it is.
c : cell = {1,2,3}
print c, type(c)
c[0] = "x"
print c
d : vec[??] = ({1.5,2.5})
d[1] = {1, "z"}
print d, numel(d)
e : cell = {[1,2],[3,4]}
e[0] = 7
print e, e[1][0] + e[0]
function y : cell = made()
  y = {1,2}
endfunction
f = made()
f[1] = "last"
print f
v = {1,2,3}
g : cell = v
g[0] = 8
print v, type(g)
h : cell
h = {4,5}
h[0] = "h"
print h
