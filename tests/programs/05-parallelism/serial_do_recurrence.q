x = [1.0,0,0,0]
serial_do(3, __kernel__ (pos) -> x[pos + 1] = 2*x[pos] + 1)
print x
