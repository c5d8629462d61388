import "inttypes.q"
a : uint8 = 200
b : uint8 = 100
print a + b, " ", b - a, " ", a*b, " ", a/b
print type(a + b)
