A = zeros(2,1,3,1,2)
A[1,0,2,0,1] = 7
print size(A), ndims(A), " ", A[1,0,2,0,1], " ", sum(A), " ", pos2ind(size(A), [1,0,2,0,1])
p = ind2pos(size(A), 11)
print p, A[p]
