A = zeros(3,3)
A[1,:] = [1,2,3]
A[:,0] = 9
A[2,1..2] = [5,6]
print A
A[0,:] += 1
print A[0,:]
v = zeros(5)
v[[0,4]] = [1,2]
v[1..3] = 7
print v
