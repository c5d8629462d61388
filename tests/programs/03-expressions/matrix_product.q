A = [[1.0,2],[3,4]]
B = [[5.0,6],[7,8]]
v = [1.0,10]
print A*B
print A*v, v*A
print A^2
print transpose(1..3)*(1..2)
