x = zeros(4,5)
for m = 0..3
    for n = 0..4
        x[m,n] = m*n
    endfor
endfor
print x
y = zeros(4,5)
for m = 1..2
    for n = 1..3
        y[m,n] = x[m-1,n] + x[m+1,n]
    endfor
endfor
print y
