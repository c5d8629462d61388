% Linear algebra in kernels on matrices of known small sizes, against the values on the host.
function s : scalar = __device__ check(x : scalar)
    s = x
endfunction
function s : scalar = __device__ check[T](x : vec[T])
    s = 0.0
    for i = 0..numel(x)-1
        s += (i + 1)*x[i]
    endfor
endfunction
function s : scalar = __device__ check[T](x : mat[T])
    s = 0.0
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            s += (3*i + j + 1)*x[i,j]
        endfor
    endfor
endfunction
function s : scalar = __device__ check[T](x : cube[T])
    s = 0.0
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            for k = 0..size(x,2)-1
                s += (5*i + 3*j + k + 1)*x[i,j,k]
            endfor
        endfor
    endfor
endfunction
function [] = __kernel__ in_kernel(x : mat, y : mat, n : int, k : int, pos : int)
    v = x[pos,0..5]
    m = reshape(v, [2,3])
    w = v[2..4]
    q = transpose(m)*m + 2*eye(3)
    y[pos,0] = check(norm(v))
    y[pos,1] = check(norm(v,1))
    y[pos,2] = check(norm(v,3))
    y[pos,3] = check(norm(m))
    y[pos,4] = check(norm(m,1.5))
    y[pos,5] = check(dotprod(w,m[0,:]))
    y[pos,6] = check(cross(w,m[1,:]))
    y[pos,7] = check(transpose(m))
    y[pos,8] = check(transpose(v))
    y[pos,9] = check(herm_transpose(m))
    y[pos,10] = check(inv(q))
    y[pos,11] = check(det(q))
    y[pos,12] = check(trace(q))
    y[pos,13] = check(diag(m))
    y[pos,14] = check(diagonal(q))
    y[pos,15] = check(diagm(w))
    y[pos,16] = check(cholesky(q))
    y[pos,17] = check(symeig(q))
    y[pos,18] = check(svd(m))
    y[pos,19] = check(svd(q))
    y[pos,20] = check(m*q)
    y[pos,21] = check(q^2)
    [a0, b0] = symeig(q)
    y[pos,22] = check(a0)
    y[pos,23] = check(b0)
    [a1, b1, c1] = svd(q)
    y[pos,24] = check(a1)
    y[pos,25] = check(b1)
    y[pos,26] = check(c1)
    [a2, b2, c2] = svd(m)
    y[pos,27] = check(a2)
    y[pos,28] = check(b2)
    y[pos,29] = check(c2)
    [a3, b3, c3] = svd(transpose(m))
    y[pos,30] = check(a3)
    y[pos,31] = check(b3)
    y[pos,32] = check(c3)
endfunction
function [] = on_host(x : mat, y : mat, pos : int)
    v = x[pos,0..5]
    m = reshape(v, [2,3])
    w = v[2..4]
    q = transpose(m)*m + 2*eye(3)
    y[pos,0] = check(norm(v))
    y[pos,1] = check(norm(v,1))
    y[pos,2] = check(norm(v,3))
    y[pos,3] = check(norm(m))
    y[pos,4] = check(norm(m,1.5))
    y[pos,5] = check(dotprod(w,m[0,:]))
    y[pos,6] = check(cross(w,m[1,:]))
    y[pos,7] = check(transpose(m))
    y[pos,8] = check(transpose(v))
    y[pos,9] = check(herm_transpose(m))
    y[pos,10] = check(inv(q))
    y[pos,11] = check(det(q))
    y[pos,12] = check(trace(q))
    y[pos,13] = check(diag(m))
    y[pos,14] = check(diagonal(q))
    y[pos,15] = check(diagm(w))
    y[pos,16] = check(cholesky(q))
    y[pos,17] = check(symeig(q))
    y[pos,18] = check(svd(m))
    y[pos,19] = check(svd(q))
    y[pos,20] = check(m*q)
    y[pos,21] = check(q^2)
    [a0, b0] = symeig(q)
    y[pos,22] = check(a0)
    y[pos,23] = check(b0)
    [a1, b1, c1] = svd(q)
    y[pos,24] = check(a1)
    y[pos,25] = check(b1)
    y[pos,26] = check(c1)
    [a2, b2, c2] = svd(m)
    y[pos,27] = check(a2)
    y[pos,28] = check(b2)
    y[pos,29] = check(c2)
    [a3, b3, c3] = svd(transpose(m))
    y[pos,30] = check(a3)
    y[pos,31] = check(b3)
    y[pos,32] = check(c3)
endfunction
x = [[3.0,1,4,1,5,9],[2,7,1,8,2,3],[0.5,-2,0,0.25,0,1]]
[y, z] = [zeros(3,33), zeros(3,33)]
parallel_do(3, x, y, 5, 2, in_kernel)
for i = 0..2
    on_host(x, z, i)
endfor
{!interpreted for}
for k = 0..32
    distance = max(abs(y[:,k] - z[:,k]))
    if !(distance <= 0.0001*(1 + max(abs(z[:,k]))))
        print "value ", k, " is ", y[:,k], " in kernels, ", z[:,k], " on the host"
    endif
endfor
print "compared 33 values"
