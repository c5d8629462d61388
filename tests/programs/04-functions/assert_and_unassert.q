x = 3
assert(x > 2)
unassert(x > 2)
x = 1
assert(x == 1, "x is ", x)
print "passed"
