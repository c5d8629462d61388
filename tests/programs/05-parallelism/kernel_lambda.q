x = [1.0,2,3]
y = zeros(3)
parallel_do(3, __kernel__ (pos) -> y[pos] = 2*x[pos])
print y
