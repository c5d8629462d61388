A = [[1,2,3],[4,5,6]]
print cumsum(A), cumsum(A,0)
print cumprod([1,2,3,4]), cummin([3,1,2]), cummax([1,3,2])
