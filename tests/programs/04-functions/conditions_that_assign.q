% What a condition changes, it changes, also where its value is known.
if (a = 3) > 2
    print a
endif
b = (c = 2) > 5 ? 1 : 0
print b, " ", c
while (d = 0) > 0
    print "never"
endwhile
print d
assert((e = 7) > 6)
print e
if (f = 1) > 0 && (g = 2) > 5
    print "never"
endif
print f, " ", g
