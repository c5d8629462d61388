function y = limit(n)
    print "asked"
    y = n
endfunction
n = 3
for k = 1..limit(n)
    n = 0
    print k
endfor
print n
