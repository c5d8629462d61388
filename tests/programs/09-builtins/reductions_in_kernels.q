A = [[1.0,5,3],[4,2,6]]
s = zeros(2)
m = zeros(2)
n = zeros(2)
for i = 0..1
    s[i] = sum(A[i,:])
    m[i] = max(A[i,:])
    n[i] = mean(A[i,:])
endfor
print s, m, n
