function [] = __kernel__ add(a, b, y, pos)
    y[pos] = a[pos] + b[pos]
endfunction
u = [1.0,2,3]
v = zeros(3)
parallel_do(3, u, u, v, add)
A = [[1.0,2],[3,4]]
B = zeros(2,2)
parallel_do(size(A), A, A, B, add)
c = vec[int](2)
parallel_do(2, [1,2], [3,4], c, add)
print v, B, c
