% Contractions whose factors are packed: enough rows and columns for it, with all remainders, in several spellings and orders of loops.
% Numbers are small integers, so that sums are exact.

function x : mat = numbers(M : int, N : int)
    x = uninit(M, N)
    for m = 0..M-1
        for n = 0..N-1
            x[m,n] = mod(7*m + 3*n + m*n, 11) - 5
        endfor
    endfor
endfunction

function x : cube = numbers(A : int, M : int, N : int)
    x = uninit(A, M, N)
    for a = 0..A-1
        for m = 0..M-1
            for n = 0..N-1
                x[a,m,n] = mod(5*a + 7*m + 3*n + m*n, 9) - 4
            endfor
        endfor
    endfor
endfunction

function y : mat[scalar'double] = doubles(M : int, N : int)
    x = numbers(M, N)
    y = uninit[scalar'double](M, N)
    for m = 0..M-1
        for n = 0..N-1
            y[m,n] = x[m,n]
        endfor
    endfor
endfunction

% one number that changes when any element moves
function s : scalar = digest(x : mat)
    s = 0.0
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s += x[m,n]*(mod(5*m + n, 13) + 1)
        endfor
    endfor
endfunction

function s : scalar = digest(x : cube)
    s = 0.0
    for a = 0..size(x,0)-1
        for m = 0..size(x,1)-1
            for n = 0..size(x,2)-1
                s += x[a,m,n]*(mod(3*a + 5*m + n, 13) + 1)
            endfor
        endfor
    endfor
endfunction

function c : mat = ijk(a : mat, b : mat)
    c = uninit(size(a,0), size(b,1))
    for i = 0..size(a,0)-1
        for j = 0..size(b,1)-1
            s = 0.0
            for k = 0..size(a,1)-1
                s += a[i,k]*b[k,j]
            endfor
            c[i,j] = s
        endfor
    endfor
endfunction

function c : mat = ikj(a : mat, b : mat)
    c = zeros(size(a,0), size(b,1))
    for i = 0..size(a,0)-1
        for k = 0..size(a,1)-1
            for j = 0..size(b,1)-1
                c[i,j] += a[i,k]*b[k,j]
            endfor
        endfor
    endfor
endfunction

function c : mat = slices(a : mat, b : mat)
    c = uninit(size(a,0), size(b,1))
    for i = 0..size(a,0)-1
        for j = 0..size(b,1)-1
            c[i,j] = sum(a[i,:].*transpose(b[:,j]))
        endfor
    endfor
endfunction

function c : mat = by_rows(a : mat, b : mat)
    c = uninit(size(a,0), size(b,0))
    for i = 0..size(a,0)-1
        for j = 0..size(b,0)-1
            s = 0.0
            for k = 0..size(a,1)-1
                s += a[i,k]*b[j,k]
            endfor
            c[i,j] = s
        endfor
    endfor
endfunction

function c : mat = by_columns(a : mat, b : mat)
    c = uninit(size(a,1), size(b,1))
    for i = 0..size(a,1)-1
        for j = 0..size(b,1)-1
            s = 0.0
            for k = 0..size(a,0)-1
                s += a[k,i]*b[k,j]
            endfor
            c[i,j] = s
        endfor
    endfor
endfunction

function c : mat = gram(a : mat)
    c = uninit(size(a,0), size(a,0))
    for i = 0..size(a,0)-1
        for j = 0..size(a,0)-1
            s = 0.0
            for k = 0..size(a,1)-1
                s += a[i,k]*a[j,k]
            endfor
            c[i,j] = s
        endfor
    endfor
endfunction

function c : mat = shortest(a : mat, b : mat)
    c = uninit(size(a,0), size(b,1))
    for i = 0..size(a,0)-1
        for j = 0..size(b,1)-1
            s = 1e30
            for k = 0..size(a,1)-1
                s = min(s, a[i,k]+b[k,j])
            endfor
            c[i,j] = s
        endfor
    endfor
endfunction

function c : cube = batched(a : cube, b : cube)
    c = uninit(size(a,0), size(a,1), size(b,2))
    for n = 0..size(a,0)-1
        for i = 0..size(a,1)-1
            for j = 0..size(b,2)-1
                s = 0.0
                for k = 0..size(a,2)-1
                    s += a[n,i,k]*b[n,k,j]
                endfor
                c[n,i,j] = s
            endfor
        endfor
    endfor
endfunction

function y : cube = layer_chw(x : cube'safe, w : cube{4}, bias : vec)
    y = uninit(size(w,0), size(x,1), size(x,2))
    for k = 0..size(w,0)-1
        for m = 0..size(x,1)-1
            for n = 0..size(x,2)-1
                s = bias[k]
                for c = 0..size(x,0)-1
                    for dy = 0..2
                        for dx = 0..2
                            s += w[k,c,dy,dx]*x[c,m+dy-1,n+dx-1]
                        endfor
                    endfor
                endfor
                y[k,m,n] = max(s, 0.0)
            endfor
        endfor
    endfor
endfunction

function y : cube = layer_hwc(x : cube'safe, w : cube{4}, bias : vec)
    y = uninit(size(x,0), size(x,1), size(w,3))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for k = 0..size(w,3)-1
                s = bias[k]
                for dy = 0..2
                    for dx = 0..2
                        for c = 0..size(x,2)-1
                            s += w[dy,dx,c,k]*x[m+dy-1,n+dx-1,c]
                        endfor
                    endfor
                endfor
                y[m,n,k] = max(s, 0.0)
            endfor
        endfor
    endfor
endfunction

function y : cube = layer_by_twos(x : cube'mirror, w : cube{4}, r : int)
    h = int(size(x,1)/2)
    l = int(size(x,2)/2)
    y = uninit(size(w,0), h, l)
    for k = 0..size(w,0)-1
        for m = 0..h-1
            for n = 0..l-1
                s = 0.0
                for c = 0..size(x,0)-1
                    for dy = -r..r
                        for dx = -r..r
                            s += w[k,c,dy+r,dx+r]*x[c,2*m+dy,2*n+dx]
                        endfor
                    endfor
                endfor
                y[k,m,n] = s
            endfor
        endfor
    endfor
endfunction

% differences in the place of products, with a factor that all columns share
function c : mat = distances(a : mat, b : mat, w : vec)
    c = uninit(size(a,0), size(b,0))
    for i = 0..size(a,0)-1
        for j = 0..size(b,0)-1
            s = 0.0
            for k = 0..size(a,1)-1
                s += (a[i,k] - w[k]*b[j,k])^2
            endfor
            c[i,j] = s
        endfor
    endfor
endfunction

function c : mat[int] = integers(a : mat[int], b : mat[int])
    c = uninit[int](size(a,0), size(b,1))
    for i = 0..size(a,0)-1
        for j = 0..size(b,1)-1
            s = 0
            for k = 0..size(a,1)-1
                s += a[i,k]*b[k,j]
            endfor
            c[i,j] = s
        endfor
    endfor
endfunction

function c : mat[scalar'double] = of_doubles(a : mat[scalar'double], b : mat[scalar'double])
    c = uninit[scalar'double](size(a,0), size(b,1))
    for i = 0..size(a,0)-1
        for j = 0..size(b,1)-1
            s : scalar'double = 0.0
            for k = 0..size(a,1)-1
                s += a[i,k]*b[k,j]
            endfor
            c[i,j] = s
        endfor
    endfor
endfunction

% sums that are as long as the number of their matrix, added to what is there
function [] = add_parts(c : cube, a : cube, b : cube)
    for n = 0..size(a,0)-1
        for i = 0..size(a,1)-1
            for j = 0..size(b,2)-1
                for k = 0..n
                    c[n,i,j] += a[n,i,k]*b[n,k,j]
                endfor
            endfor
        endfor
    endfor
endfunction

function c : mat = too_far(a : mat, b : mat, K : int)
    c = zeros(size(a,0), size(b,1))
    for i = 0..size(a,0)-1
        for j = 0..size(b,1)-1
            s = 0.0
            for k = 0..K
                s += a[i,k]*b[k,j]
            endfor
            c[i,j] = s
        endfor
    endfor
endfunction

function y : mat[int] = to_integers(x : mat)
    y = uninit[int](size(x))
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            y[i,j] = int(x[i,j])
        endfor
    endfor
endfunction

function x : cube{4} = weights(A : int, B : int, M : int, N : int)
    x = reshape(numbers(A*B, M, N), A, B, M, N)
endfunction

function [] = check(M : int, K : int, N : int)
    a = numbers(M, K)
    b = numbers(K, N)
    print digest(ijk(a, b)), " ", digest(ikj(a, b)), " ", digest(slices(a, b))
    print digest(by_rows(a, numbers(N, K))), " ", digest(by_columns(numbers(K, M), b))
    d = distances(a, numbers(N, K), numbers(1, K)[0,:])
    print digest(shortest(a, b)), " ", d[0,0], " ", d[M-1,N-1], " ", d[M-2,N-17]
    print digest(gram(numbers(N, K))), " ", sum(integers(to_integers(a), to_integers(b)))
    p = of_doubles(doubles(M, K), doubles(K, N))
    print p[0,0], " ", p[M-1,N-1], " ", p[M-2,N-17]
    print digest(batched(numbers(3, M, K), numbers(3, K, N)))
    c = numbers(3, M, N)
    add_parts(c, numbers(3, M, 3), numbers(3, 3, N))
    print digest(c)
endfunction

function [] = main()
    check(16, 7, 32)
    check(17, 9, 33)
    check(24, 1, 40)
    check(26, 11, 75)
    check(33, 140, 32)
    for W = [32, 39, 56]
        print digest(layer_chw(numbers(2, 5, W), weights(19, 2, 3, 3), numbers(1, 19)[0,:]))
        print digest(layer_hwc(numbers(4, W, 3), weights(3, 3, 3, 37), numbers(1, 37)[0,:]))
        print digest(layer_by_twos(numbers(2, 9, 2*W), weights(16, 2, 5, 5), 2))
    endfor
    % a number that is none stays in its row or column
    a = numbers(18, 3)
    b = numbers(3, 40)
    a[4,1] = 0/0
    b[2,35] = 1/0
    c = ijk(a, b)
    print c[4,0], " ", c[5,0], " ", c[17,34], " ", c[0,35], " ", c[17,35], " ", c[17,36]
    try
        c = too_far(numbers(18, 3), numbers(4, 40), 3)
    catch e
        print "too far in a row"
    endtry
    try
        c = too_far(numbers(18, 9), numbers(4, 40), 4)
    catch e
        print "too far in a column"
    endtry
endfunction
