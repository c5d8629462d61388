print 0, " ", 42, " ", 1., " ", .5, " ", 2.5, " ", 1e-3, " ", 7.1E4
print 1011b, " ", 755o, " ", 1Fh, " ", 0FFh
print 1j, " ", 2.5i, " ", 1+2j
print type(1), " ", type(1.), " ", type(1e3), " ", type(2j)
print 0..3, 2.^(1..3)
