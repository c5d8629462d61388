v = [10,20,30,40]
print v[[3,3,0]], v[(0..1)*2]
v[[2,0]] = [7,8]
print v
v[1..2] += 100
print v
p = [1,3]
v[p] = 0
print v
