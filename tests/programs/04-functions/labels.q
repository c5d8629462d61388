outer:
for i = 0..3
    for j = 0..3
        if j == 2
            continue outer
        endif
        if i == 2
            break outer
        endif
        print i, j
    endfor
endfor
