print "v = " + [1,2] + ", n = " + 3 + ", z = " + 2j
print 1 + "x" + 0.5
