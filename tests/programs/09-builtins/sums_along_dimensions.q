A = [[1.0,2],[3,4],[5,6]]
print sum(A,0), sum(A,1), mean(A,0), prod(A,1)
C = reshape(0..7, [2,2,2])
print sum(C,2), sum(C,0), size(sum(C,1)), sum(C)
