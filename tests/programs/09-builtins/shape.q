A = [[1,2,3],[4,5,6]]
print size(A), size(A,0), size(A,1), size(A,2), numel(A), ndims(A)
print transpose(A)
print reshape(A, [3,2])
print shuffledims(A, [1,0])
print fliplr(A), flipud(A)
print circshift([1,2,3,4], 1)
print vertcat([1,2],[3,4]), horzcat([1,2],[3,4])
