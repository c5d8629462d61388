x = [3.0,-1,4,-1,5]
y = zeros(5)
for k = 0..4
    t = x[k]
    if t < 0
        t = 0
    elseif t > 4
        t = 4
    endif
    y[k] = 2*t
endfor
print y
