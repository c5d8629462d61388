print 1, " ", 1.5, " ", 100000.0, " ", 1e10, " ", 1e-5, " ", 1/3
print [1.5,2], [[1,2],[3,4]]
print zeros(2,2,2)
print true, " ", false
print
print "end"
