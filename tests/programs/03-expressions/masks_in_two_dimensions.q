A = [[1.0,2,3],[4,5,6]]
A[A > 1 && A < 5] = -A
print A
A[A < 0 || A == 6] = 0
print A
print A[A > 0], numel(A[A > 9])
