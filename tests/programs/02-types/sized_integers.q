import "inttypes.q"
a : uint8 = 200
b : uint8'sat = 300
c : uint8'unchecked = 300
print a, " ", b, " ", c
print type(a)
m : vec[uint8'sat] = vec[uint8](3)
m[0] = 100
m[1] = 256.7
m[2] = -5
print m
