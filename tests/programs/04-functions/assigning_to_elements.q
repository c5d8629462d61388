v = [0,0,0]
[v[2], v[0]] = [7,8]
print v
[x : scalar, y] = [1.5,2.5]
print x + y
[v[0], v[1]] = [v[1], v[0]]
print v
[a] = {5}
print a
