function [] = __kernel__ k(x : mat(4,4), n : mat[int](3,3), c : cmat(2,2), y : mat, pos : int)
    [U, S, V] = svd(n)
%                   ^ Q0313 'svd' in kernel and device functions takes a matrix of floats, found 'imat(3,3)' write svd(float(..)) to convert
    y[pos,0] = S[0,0]
    L = cholesky(c)
%                ^ Q0313 'cholesky' in kernel and device functions takes a matrix of real numbers, found 'cmat(2,2)'
    y[pos,1] = det(n)
%                  ^ Q0313 'det' in kernel and device functions takes a matrix of floats
    [Q, D] = symeig(x[0..1,:])
%                   ^ Q0312 expected a square matrix, found 'mat(2,4)'
    y[pos,2] = D[0]
    [Q, R] = qr(x)
%            ^ Q0404 'qr' cannot be used in kernel function 'k'
    y[pos,3] = R[0,0]
    [s, p] = sort(x, 1, 2)
%            ^ Q0313 'sort' takes 1 to 2 arguments, found 3
    i = find(x, "a")
%               ^ Q0404 strings cannot be used in kernel function 'k'
    y[pos,4] = find(x)[0,0] + find([1.0,2], 2)
endfunction
parallel_do(2, zeros(4,4), eye(3) > 0, czeros(2,2), zeros(2,5), k)
