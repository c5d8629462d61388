a = 7
b = 2
print a + b, " ", a - b, " ", a*b, " ", a/b, " ", type(a/b)
print 1/9
print 6/3, " ", type(6/3)
print 1/0, " ", -1/0, " ", 0/0
print 2^10, " ", type(2^10), " ", 2^-1, " ", 2.0^3
