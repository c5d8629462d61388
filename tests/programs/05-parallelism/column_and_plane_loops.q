x = zeros(2,2,2)
for i = 0..1
    for j = 0..1
        for k = 0..1
            x[i,j,k] = 4*i + 2*j + k
        endfor
    endfor
endfor
y = zeros(2,2)
for i = 0..1
    for j = 0..1
        y[i,j] = sum(x[i,j,:])
    endfor
endfor
print y
