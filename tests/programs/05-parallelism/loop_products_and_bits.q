p = 1
bits = 0
lo = 100.0
x = [3,1,4]
for k = 0..2
    p *= x[k]
    bits |= x[k]
    lo __= x[k]
endfor
print p, " ", bits, " ", lo
