A = [[1,2],[3,4]]
print repmat(A, [1,2])
print repmat([1,2],[1,3]), size(repmat(A,[2,3]))
