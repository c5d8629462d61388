y = zeros(5)
{!parallel for}
for k = 0..4
    y[k] = 2*k
endfor
{!serial for}
for k = 0..4
    y[k] = y[k] + 1
endfor
{!interpreted for}
for k = 0..4
    y[k] = y[k]*2
endfor
print y
