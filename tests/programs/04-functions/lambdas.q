f = x -> 2*x
g = (x, y) -> x + y
h = () -> 42
print f(3), " ", g(1, 2), " ", h()
add = x -> y -> x + y
print add(4)(5)
k = 3
scale = x -> k*x
k = 100
print scale(2)
seq = (a, b) -> (s = a + b; s*10)
print seq(1, 2)
