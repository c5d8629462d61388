x = [[1.0,2,3],[4,5,6]]
y = zeros(2)
for m = 0..1
    s = 0.0
    for n = 0..2
        s += x[m,n]
    endfor
    y[m] = s
endfor
print y
