% A conversion of an array that has the type already gives the array itself, whether the type is known or not; copy(x) copies.
function y : ?? = unknown(x : ??)
    y = x
endfunction
v = [1, 2, 3]
w = int(v)
w[0] = 7
c = copy(int(v))
c[1] = 8
print v, c
x = [0.5, 1.5]
y = float(x)
y[1] = 9
print x
u = unknown([4, 5, 6])
z = int(u)
z[2] = 1
print u
% Of another type it is another array.
f = float(v)
f[0] = 0.5
print v, f
m = v > 2
n = int(m)
print n + 1, v[m]
