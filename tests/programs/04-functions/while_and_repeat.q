n = 3
while n > 0
    print n
    n -= 1
endwhile
repeat
    n += 1
until n >= 2
print n
