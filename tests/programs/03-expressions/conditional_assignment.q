A = [1.0,-2,3,-4]
A[A<0] = 0
print A
B = [[1.0,5],[7,2]]
B[B>4] = 4
print B
x = [1.5,-2.5,3.5]
x[x > 0] = floor(x[x > 0])
print x
print x[x > 0]
