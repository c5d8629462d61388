a = [1,2]
b = copy(a)
b[0] = 9
c = {[1,2],[3,4,5]}
d = copy(c)
d[0][0] = 7
print a, b, c[0], d[0]
