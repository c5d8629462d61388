x : scalar'double = 1
y : scalar'single = 1
print x/3
print y/3
print x/3 == y/3
