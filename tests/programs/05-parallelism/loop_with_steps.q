y = zeros(9)
for k = 8..-3..0
    y[k] = k
endfor
print y
z = zeros(3,6)
for i = 0..2..2
    for j = 1..2..5
        z[i,j] = i + j
    endfor
endfor
print z
