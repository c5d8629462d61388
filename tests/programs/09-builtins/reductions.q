A = [[1.0,2,3],[4,5,6]]
print sum(A), " ", prod(A), " ", mean(A), " ", min(A), " ", max(A)
print sum(A,0), sum(A,1), mean(A,0)
print size(sum(A,1)), size(sum(zeros(2,3,4),2)), size(sum(zeros(2,3,4),0)), size(sum(zeros(2,3,4),1))
print sum([]), " ", prod([])
print argmin([3,1,2]), " ", argmax([3,1,2])
print any([0,0,1]), " ", all([1,0]), " ", dotprod([1.0,2],[3,4]), " ", norm([3.0,4])
