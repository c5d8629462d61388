% A comparison of arrays is a mask wherever it is kept: as an index it selects, everywhere else it is numbers 0 and 1.
x = [5,-1,7,-3]
m = x < 0
print m, " ", sum(m), " ", m + m, " ", x .* m, " ", type(m), " ", numel(m), " ", m[1] + 1, " ", x[m[1]]
print x[m], " ", x[!m], " ", x[m || x > 6], " ", x[and(m, x < -2)], " ", x[m == 0]
x[m] = 100
print x
x[!m] += 1
y = x
y[m] = [1,2]
print x, " ", y
% Integers 0 and 1 are positions.
k = [0,1,1,0]
print x[k], " ", x[int(m)], " ", x[m + 0], " ", x[1 - m]
% Through functions, results, lambdas, branches, loops, slices, copies and views.
function y = chosen(x, mask)
    y = x[mask]
endfunction
function m = negative(x)
    m = x < 0
endfunction
below = v -> v < 50
print chosen(x, m), " ", chosen(x, k), " ", x[negative(x - 50)], " ", x[below(x)]
if x[0] > 1
    n = x > 5
else
    n = x == 0
endif
for i = 0..1
    n = n && x > 6
endfor
print x[n], " ", x[copy(n)], " ", x[1..2][n[1..2]]
% Matrices: alone a mask of the same shape, beside other indices a vector along a dimension.
A = [[1,2,3],[4,5,6]]
big = A > 2
rows = [0,1] > 0
columns = sum(A, 0) > 5
print A[big], " ", A[rows, :], " ", A[1, columns == 1], " ", A[:, [1,0,1] == 1]
A[big] = 0
A[rows, 0] = 9
A[:, [0,0,1] == 1] += 1
print A
z = [1.0, 0/0, 1/0]
z[isnan(z)] = 0
print z, " ", z[isfinite(z)], " ", z[isinf(z)]
% In parallel loops and kernels.
a = [1.0,-2.0,3.0,-4.0]
neg = a < 0
{!parallel for}
for i = 0..3
    a[i] = neg[i] ? -a[i] : 10 * a[i]
endfor
print a
% What does not fit is an error.
try
    x[[1,2,3] > 1] = 0
catch e
    print e.message
endtry
try
    x[m] = [1,2,3]
catch e
    print e.message
endtry
