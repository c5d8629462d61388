A = [[1,2,3],[4,5,6]]
print circshift(A, [1,0])
print circshift(A, [0,-1])
print fliplr(A)
print circshift(1..5, -2), flipud([[1],[2]])
