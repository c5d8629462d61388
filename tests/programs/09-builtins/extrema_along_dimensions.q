A = [[4,2,9],[1,8,3]]
print mindim(A,0), maxdim(A,0), maxdim(A,1)
print min(A), max(A), argmin(A), argmax(A), " ", index_of_max([1,7,7]), index_of_min([3,1,1])
