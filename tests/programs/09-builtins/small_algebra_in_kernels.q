A = [[2.0,0],[0,4]]
d = zeros(2)
t = zeros(2)
parallel_do(2, __kernel__ (pos) -> d[pos] = det((pos + 1.0)*A))
parallel_do(2, __kernel__ (pos) -> t[pos] = dotprod(A[pos,:], [1.0,10]))
print d, t
