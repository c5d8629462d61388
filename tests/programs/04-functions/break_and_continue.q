s = 0
for k = 0..9
    if mod(k, 2) == 0
        continue
    endif
    if k > 6
        break
    endif
    s += k
endfor
print s
n = 0
while true
    n += 1
    if n < 5
        continue
    endif
    break
endwhile
print n
repeat
    n -= 1
    if n == 3
        continue
    endif
    print n
until n <= 2
