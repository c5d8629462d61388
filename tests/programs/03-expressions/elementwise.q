a = [1.0,2,3]
b = [4.0,5,6]
print a + b, a - b, a.*b, b./a, a.^2, 2.^a
print 2*a, a*2, a/2, 1 + a, -a
print a/b
