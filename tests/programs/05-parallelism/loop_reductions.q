x = [[1.0,5],[3,2]]
s = 0.0
big = 0.0
n = 10
for i = 0..1
    for j = 0..1
        s += x[i,j]
        big ^^= x[i,j]
        n -= 1
    endfor
endfor
print s, " ", big, " ", n
