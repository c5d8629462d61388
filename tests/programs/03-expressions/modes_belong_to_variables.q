A : 'circular = [1,2,3]
B = A
C : 'clamped = A
print A[-1], B[-1], C[-1], C[9]
C[0] = 5
print A[3]
