rows:
for i = 0..2
    n = 0
    while true
        n += 1
        if n > i
            continue rows
        endif
        if n*i == 4
            break rows
        endif
        print i, n
    endwhile
endfor
print "end ", i
