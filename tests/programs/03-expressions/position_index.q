A = [[1,2,3],[4,5,6]]
p = [1,2]
print A[p], " ", A[1,2], " ", A[...p]
q = ind2pos(size(A), 4)
print q, A[q]
print pos2ind(size(A), [1,1])
