v = [1.0,2,3,4]
v -= [1,1,1,1]
print v
v .^= 2
print v
v ./= 2
print v
v ^^= 1
v __= 4
print v
A = eye(2)
A *= 3
A[0,:] -= 1
print A
