sum = 3
size = 4
print sum + size
gamma = 0.5
in = 1
out = 2
print gamma, " ", in + out
