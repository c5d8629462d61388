A = [[1,2],[3,4]]
r = A[0,:]
r[0] = 9
print A[0,:], r
c = A
c[0,0] = 7
print A[0,0]
