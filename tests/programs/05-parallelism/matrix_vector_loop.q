A = [[1.0,2],[3,4],[5,6]]
x = [10.0,1]
y = zeros(3)
for m = 0..size(A,0)-1
    acc = 0.0
    for n = 0..size(A,1)-1
        acc += A[m,n]*x[n]
    endfor
    y[m] = acc
endfor
print y, A*x
