a : 'circular = [1,2,3]
b : 'mirror = [1,2,3]
c : 'clamped = [1,2,3]
a[3] = 9
b[-1] = 9
c[7] = 9
print a, b, c
