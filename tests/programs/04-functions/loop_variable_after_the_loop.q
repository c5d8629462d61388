k = 7
for k = 5..3
endfor
print k
for k = 0..2..5
endfor
print k
for k = 0..9
    if k == 3
        break
    endif
endfor
print k
