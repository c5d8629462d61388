for k = 1..3
    print k
endfor
for k = 5..-2..0
    print k
endfor
for p = [1.5,2.5]
    print p
endfor
for k = 5..3
    print "never"
endfor
print k
s = 0
for k = 1..3
    k = 10*k
    s += k
endfor
print s
