% Vectors and matrices that each thread keeps for itself.
function [] = __kernel__ algebra(y : mat, pos : int)
    a = [[2.0, 1], [1, 3.0 + pos]]
    b = inv(a)
    c = a * b
    u = [1.0, 2, 3]
    v = [3.0, 0, pos]
    w = cross(u, v)
    y[pos, 0] = det(a)
    y[pos, 1] = c[0,0] + c[1,1]
    y[pos, 2] = dotprod(u, v)
    y[pos, 3] = w[0] + 10*w[1] + 100*w[2]
    y[pos, 4] = norm([3.0, 4.0 * (pos + 1)])
    t = transpose([[1.0,2,3],[4,5,6]])
    y[pos, 5] = t[2,0]*10 + t[0,1]
endfunction
y = zeros(2, 6)
parallel_do(2, y, algebra)
print y
