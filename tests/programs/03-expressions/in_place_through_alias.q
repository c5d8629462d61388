A = zeros(2)
B = A
A += 1
print B
A[0] += 5
print B
