x = float(1..6)
for k = 1..5
    x[k] = x[k] + x[k-1]
endfor
print x
a = 1.0
y = zeros(4)
for k = 0..3
    y[k] = a
    a = a*0.5
endfor
print y, a
