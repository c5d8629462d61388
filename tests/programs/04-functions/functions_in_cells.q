% Functions in cells and in variables of unknown type.
c = cell(3)
c[0] = x -> x + 1
c[1] = (a, b) -> a*b
y : ?? = x -> 2*x
c[2] = y
print c[0](2), " ", c[1](3, 4), " ", y(5), " ", c[2](1), " ", c[1]
for k = 0..2..2
    f = c[k]
    print f(10)
endfor
n = 3
g = n > 2 ? y : 3
print g
