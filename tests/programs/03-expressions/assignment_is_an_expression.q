n = 4
while (n -= 1) > 0
    print n
endwhile
a = (b = 3) + 1
print a, b
k = (c = 5; c*2)
print k, c
