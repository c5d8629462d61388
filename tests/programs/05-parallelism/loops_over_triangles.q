% Products of pairs of rows and columns: loops over triangles, sums that several loops share, mirrored stores

function c : mat = covariance(d : mat)
    [N, M] = size(d)
    c = uninit(M, M)
    for i = 0..M-1
        for j = i..M-1
            s = 0.0
            for k = 0..N-1
                s += d[k,i]*d[k,j]
            endfor
            c[i,j] = s/(N-1)
            c[j,i] = s/(N-1)
        endfor
    endfor
endfunction

function c : mat = mirrored(d : mat)
    [N, M] = size(d)
    c = zeros(M, M)
    for i = 0..M-1
        for j = i..M-1
            c[i,j] = 1
            for k = 0..N-1
                c[i,j] += d[k,i]*d[k,j]
            endfor
            c[i,j] *= 2
            c[j,i] = c[i,j]
        endfor
    endfor
endfunction

% The sizes of c are not known: indices outside of it are errors
function [] = rank_k(alpha : scalar, beta : scalar, c : mat, a : mat, b : mat)
    [N, M] = size(a)
    for i = 0..N-1
        for j = 0..i
            c[i,j] *= beta
        endfor
        for k = 0..M-1
            for j = 0..i
                c[i,j] += alpha*a[i,k]*b[j,k]
            endfor
        endfor
    endfor
endfunction

function y : mat = distances(x : mat, z : mat)
    [N, D] = size(x)
    y = uninit(N, size(z,0))
    for i = 0..N-1
        for j = 0..size(z,0)-1
            s = 0.0
            for k = 0..D-1
                s += (x[i,k] - z[j,k]).^2
            endfor
            y[i,j] = s
        endfor
    endfor
endfunction

% Bounds with a distance, and rows that are empty
function c : mat = strict(d : mat, first : int, distance : int)
    n = size(d,0)
    c = ones(n, n)
    for i = first..n-1
        for j = 1..i-2
            s = 0.0
            for k = 0..size(d,1)-1
                s += d[i,k] + d[j,k]
            endfor
            c[i,j] = s
        endfor
    endfor
    for i = first..n-1
        for j = i+distance..n-1
            s = 0.0
            for k = 0..size(d,1)-1
                s += d[i,k] - d[j,k]
            endfor
            c[i,j] = s
        endfor
    endfor
endfunction

function y : mat = numbers(rows : int, columns : int)
    y = uninit(rows, columns)
    for m = 0..rows-1
        for n = 0..columns-1
            y[m,n] = mod(3*m + 5*n, 11) - 4
        endfor
    endfor
endfunction

function v : scalar = weighted(c : mat)
    v = 0.0
    for m = 0..size(c,0)-1
        for n = 0..size(c,1)-1
            v += c[m,n]*(mod(m + 2*n, 5) - 2)
        endfor
    endfor
endfunction

function [] = main()
    print covariance(numbers(3, 4)), mirrored(numbers(3, 4)), strict(numbers(6, 2), 1, 1), strict(numbers(4, 2), 0, 0)
    print weighted(covariance(numbers(9, 70))), weighted(mirrored(numbers(9, 70))), weighted(strict(numbers(80, 3), 2, 2))
    c = ones(3, 3)
    rank_k(2, 3, c, numbers(3, 2), numbers(4, 2))
    print c
    c = numbers(3, 3)
    rank_k(2, 3, c, c, numbers(3, 3))
    print c
    for n = [65, 80]
        c = ones(n, n)
        a = numbers(n, 5)
        rank_k(2, -1, c, a, numbers(n, 6))
        print weighted(c)
        rank_k(2, -1, c, a, a)
        print weighted(c), weighted(distances(a, numbers(n + 3, 5)))
    endfor
    print covariance(zeros(0, 3)), distances(zeros(0, 3), numbers(2, 3)), distances(zeros(2, 0), zeros(2, 0))
    try
        rank_k(1, 1, ones(65, 64), numbers(65, 5), numbers(65, 5))
    catch ex
        print "outside of c"
    endtry
    try
        rank_k(1, 1, ones(70, 70), numbers(70, 5), numbers(70, 4))
    catch ex
        print "outside of b"
    endtry
    try
        print distances(numbers(70, 4), numbers(70, 3))
    catch ex
        print "outside of z"
    endtry
endfunction
