n = 5
n += 2
n *= 3
n -= 1
n /= 4
print n
m = 12
m &= 10
m |= 1
m ~= 3
print m
k = 3
k ^^= 7
k __= 5
print k
v = [1.0,2,3]
v += 1
v .*= [1,2,3]
print v
print (k += 10), " ", k
