import "inttypes.q"
a : vec[uint8] = uint8([250,5,7])
b = uint8([10,5,2])
c = a + b
print c, " ", a - b, " ", max(a, b), " ", a > b
d : vec[uint8'sat] = vec[uint8](3)
d[0..2] = a + b
print d
