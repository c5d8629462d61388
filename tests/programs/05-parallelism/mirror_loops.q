x : 'mirror = [1.0,2,4,8]
y = zeros(4)
for k = 0..3
    y[k] = x[k-1] + x[k+1]
endfor
print y
