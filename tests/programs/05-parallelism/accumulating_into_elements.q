h = vec[int](3)
x = [0,2,2,1,2]
for k = 0..4
    h[x[k]] += 1
endfor
print h
A = [[1.0,2],[3,4]]
r = zeros(1)
for i = 0..1
    for j = 0..1
        r[0] += A[i,j]
    endfor
endfor
print r
