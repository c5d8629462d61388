a : 'circular = [1,2,3,4]
b : 'mirror = [1,2,3,4]
c : 'clamped = [1,2,3,4]
d : 'safe = [1,2,3,4]
print a[-3..6]
print b[-3..6]
print c[-3..6]
print d[-3..6]
print a[-1], b[-1], c[9], d[9]
d[7] = 5
print d
