A = [[4.0,2],[2,3]]
L = cholesky(A)
print max(abs(L*transpose(L) - A)) < 1e-5
[Q, R] = qr(A)
print max(abs(Q*R - A)) < 1e-5, " ", abs(R[1,0]) < 1e-6
[V, D] = symeig([[2.0,0],[0,1]])
print D
[U, S, W] = svd(A)
print max(abs(U*S*transpose(W) - A)) < 1e-4
