a = 2147483647
a = a + 1
print a
b = -2147483647 - 1
print abs(b), " ", b - 1
print 65536*65536
