print reshape(0..5, [2,3])
print reshape([[1,2],[3,4]], [4]), reshape(0..5, [3,-1])
