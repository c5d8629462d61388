a : int64 = 3000000000
b : int64 = 1
print a + 1, " ", a*2, " ", a*a - b
