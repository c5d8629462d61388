% Contractions that devices compute by tiles of blocks: whole tiles and remainders, factors along rows and along columns, several
% components of the position for rows and for columns, loops in loops, and other steps than products. Numbers are small integers, so
% that sums are exact.

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

function c : mat = product(a : mat, b : mat)
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

% a row of one and a column of the other, as slices
function c : mat = slices(a : mat, b : mat)
    c = zeros(size(a,0), size(b,1))
    for i = 0..size(a,0)-1
        for j = 0..size(b,1)-1
            c[i,j] = sum(a[i,:] .* b[:,j])
        endfor
    endfor
endfunction

% rows of the result grow by rows of a factor
function c : mat = by_rows(a : mat, b : mat)
    c = zeros(size(a,0), size(b,1))
    for i = 0..size(a,0)-1
        for k = 0..size(a,1)-1
            c[i,:] += a[i,k] * b[k,:]
        endfor
    endfor
endfunction

function c : mat = dots(a : mat, b : mat)
    c = zeros(size(a,0), size(b,0))
    for i = 0..size(a,0)-1
        for j = 0..size(b,0)-1
            c[i,j] = dotprod(a[i,:], b[j,:])
        endfor
    endfor
endfunction

% both factors down columns
function c : mat = gram(a : mat, b : mat)
    c = uninit(size(a,1), size(b,1))
    for i = 0..size(a,1)-1
        for j = 0..size(b,1)-1
            s = 1.0
            for k = 0..size(a,0)-1
                s += a[k,i]*b[k,j]
            endfor
            c[i,j] = 2*s + i
        endfor
    endfor
endfunction

function [] = added(c : mat, a : mat, b : mat)
    for i = 0..size(a,0)-1
        for k = 0..size(a,1)-1
            for j = 0..size(b,1)-1
                c[i,j] += a[i,k]*b[k,j]
            endfor
        endfor
    endfor
endfunction

function d : mat = distances(a : mat, b : mat)
    d = uninit(size(a,0), size(b,0))
    for i = 0..size(a,0)-1
        for j = 0..size(b,0)-1
            s = 0.0
            for k = 0..size(a,1)-1
                t = a[i,k] - b[j,k]
                s += t*t
            endfor
            d[i,j] = s
        endfor
    endfor
endfunction

% the largest sum of two
function c : mat = tropical(a : mat, b : mat)
    c = uninit(size(a,0), size(b,1))
    for i = 0..size(a,0)-1
        for j = 0..size(b,1)-1
            s = -1000.0
            for k = 0..size(a,1)-1
                s = max(s, a[i,k] + b[k,j])
            endfor
            c[i,j] = s
        endfor
    endfor
endfunction

function c : cube = batched(a : cube, b : cube)
    c = uninit(size(a,0), size(a,1), size(b,2))
    for z = 0..size(a,0)-1
        for i = 0..size(a,1)-1
            for j = 0..size(b,2)-1
                s = 0.0
                for k = 0..size(a,2)-1
                    s += a[z,i,k]*b[z,k,j]
                endfor
                c[z,i,j] = s
            endfor
        endfor
    endfor
endfunction

% channels first: rows are channels, columns are pixels
function y : cube = channels_first(x : cube'safe, w : cube{4}, b : vec)
    [C, M, N] = size(x)
    y = uninit(size(w,0), M, N)
    for o = 0..size(w,0)-1
        for m = 0..M-1
            for n = 0..N-1
                s = b[o]
                for c = 0..C-1
                    for i = 0..2
                        for j = 0..2
                            s += w[o,c,i,j]*x[c,m+i-1,n+j-1]
                        endfor
                    endfor
                endfor
                y[o,m,n] = max(s, 0)
            endfor
        endfor
    endfor
endfunction

% channels last: rows are pixels, columns are channels
function y : cube = channels_last(x : cube'mirror, w : cube{4}, R : int)
    [M, N, C] = size(x)
    y = uninit(M, N, size(w,3))
    for m = 0..M-1
        for n = 0..N-1
            for o = 0..size(w,3)-1
                s = 0.0
                for i = -R..R
                    for j = -R..R
                        for c = 0..C-1
                            s += w[i+R,j+R,c,o]*x[m+i,n+j,c]
                        endfor
                    endfor
                endfor
                y[m,n,o] = s
            endfor
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

function c : mat[scalar'double] = doubles(a : mat[scalar'double], b : mat[scalar'double])
    c = uninit[scalar'double](size(a,0), size(b,1))
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

function x : mat[scalar'double] = wide(a : mat)
    x = uninit[scalar'double](size(a,0), size(a,1))
    for i = 0..size(a,0)-1
        for j = 0..size(a,1)-1
            x[i,j] = a[i,j]
        endfor
    endfor
endfunction

function x : mat[int] = whole(a : mat)
    x = uninit[int](size(a,0), size(a,1))
    for i = 0..size(a,0)-1
        for j = 0..size(a,1)-1
            x[i,j] = int(a[i,j])
        endfor
    endfor
endfunction

function s : int = digest_of(x : mat[int])
    s = 0
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            s += x[i,j]*(mod(5*i + j, 13) + 1)
        endfor
    endfor
endfunction

function [] = main()
    % whole tiles, remainders of rows, of columns, of iterations
    for sizes = {[64,16,64], [64,32,128], [65,17,64], [100,23,45], [33,40,63], [128,100,70]}
        [M, K, N] = sizes
        a = numbers(M, K)
        b = numbers(K, N)
        print "products ", M, " ", K, " ", N, ": ", digest(product(a, b)), " ", digest(slices(a, b)), " ", digest(by_rows(a, b)), " ", digest(dots(a, transpose(b)))
        print "transposed ", digest(gram(transpose(a), b))
        c = numbers(M, N)
        added(c, a, b)
        print "added ", digest(c)
        print "distances ", digest(mod(distances(a, transpose(b)), 7)), ", largest ", digest(tropical(a, b))
        print "integers ", digest_of(integers(whole(a), whole(b)))
        print "doubles ", sum(doubles(wide(a), wide(b)))
    endfor
    print "batches ", digest(batched(numbers(3, 40, 20), numbers(3, 20, 50)))
    print "channels first ", digest(channels_first(numbers(5, 17, 23), reshape(numbers(40, 15, 3), [40,5,3,3]), linspace(1, 40, 40)))
    print "channels last ", digest(channels_last(numbers(11, 13, 6), reshape(numbers(18, 3, 36), [3,3,6,36]), 1))
    % indices outside are errors in every form, also those of slices
    try
        y = product(numbers(64, 32), numbers(31, 64))
        print "no error"
    catch ex
        print "outside"
    endtry
    try
        y = slices(numbers(64, 32), numbers(31, 64))
        print "no error"
    catch ex
        print "slices of other sizes"
    endtry
    try
        added(numbers(40, 64), numbers(64, 32), numbers(32, 64))
        print "no error"
    catch ex
        print "a result that is too small"
    endtry
endfunction
