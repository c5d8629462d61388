x = [5.0,6,7]
y = zeros(3)
last = 0.0
for k = 0..2
    last = 2*x[k]
    y[k] = last
endfor
print y, last, " ", k
