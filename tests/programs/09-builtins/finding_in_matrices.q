A = [[0,5],[7,0]]
print find(A)
print size(find(A > 9))
p = find(A == 7)
print A[p[0,:]]
