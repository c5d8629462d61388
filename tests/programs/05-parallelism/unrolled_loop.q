x = [1.0,2,3,4,5]
y = zeros(5)
{!unroll times=2}
for k = 0..4
    y[k] = x[k]*x[k]
endfor
print y
