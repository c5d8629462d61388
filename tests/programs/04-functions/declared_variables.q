n : int
x : scalar
v : vec(3)
s : string
print n, x, v, s, "."
n += 2
v[1] = n
print v
