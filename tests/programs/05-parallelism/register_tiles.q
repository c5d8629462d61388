% Contractions whose rows go through loops together, in blocks of rows and columns with all remainders. Numbers are small integers, so
% that sums are exact, but for the functions at the end.

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

% what is there already is read and added to
function [] = add_product(a : mat, b : mat, c : mat)
    assert(size(c,0) == size(a,0))
    assert(size(c,1) == size(b,1))
    for i = 0..size(a,0)-1
        for k = 0..size(a,1)-1
            for j = 0..size(b,1)-1
                c[i,j] += a[i,k]*b[k,j]
            endfor
        endfor
    endfor
endfunction

% of integers, and of doubles
function c : mat[int] = product(a : mat[int], b : mat[int])
    c = int(zeros(size(a,0), size(b,1)))
    for i = 0..size(a,0)-1
        for j = 0..size(b,1)-1
            for k = 0..size(a,1)-1
                c[i,j] += a[i,k]*b[k,j]
            endfor
        endfor
    endfor
endfunction

function c : mat[scalar'double] = product_of_doubles(a : mat[scalar'double], b : mat[scalar'double])
    c = uninit[scalar'double](size(a,0), size(b,1))
    for i = 0..size(a,0)-1
        for j = 0..size(b,1)-1
            s : scalar'double = 0
            for k = 0..size(a,1)-1
                s += a[i,k]*b[k,j]
            endfor
            c[i,j] = s
        endfor
    endfor
endfunction

% a branch for each element inside of the loop, and two sums
function y : mat = distances(x : mat, c : mat)
    y = uninit(size(x,0), size(c,1))
    for i = 0..size(x,0)-1
        for j = 0..size(c,1)-1
            s = 0.0
            t = 0.0
            for k = 0..size(x,1)-1
                d = x[i,k] - c[k,j]
                if d > 0
                    s += d
                else
                    t += d*d
                endif
            endfor
            y[i,j] = i + j > 6 ? s : t
        endfor
    endfor
endfunction

% the interior of a larger array
function [] = inner_product(a : mat, b : mat, c : mat)
    for i = 1..size(c,0)-2
        for j = 2..size(c,1)-1
            s = c[i,j]
            for k = 0..size(a,1)-1
                s -= a[i,k]*b[k,j]
            endfor
            c[i,j] = s
        endfor
    endfor
endfunction

% layers of a network, rows along the first component and along the one before the last
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

function y : cube = layer_hwc(x : cube'mirror, w : cube{4})
    y = uninit(size(x,0), size(x,1), size(w,3))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for k = 0..size(w,3)-1
                s = 0.0
                for dy = 0..size(w,0)-1
                    for dx = 0..size(w,1)-1
                        for c = 0..size(x,2)-1
                            s += w[dy,dx,c,k]*x[m+dy-1,n+dx-1,c]
                        endfor
                    endfor
                endfor
                y[m,n,k] = s
            endfor
        endfor
    endfor
endfunction

% a row without its sum
function y : mat = filtered(x : mat'clamped, k : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for i = 0..size(k,0)-1
                for j = 0..size(k,1)-1
                    y[m,n] += k[i,j]*x[m+i-1,n+j-2]
                endfor
            endfor
        endfor
    endfor
endfunction

% fails in some rows, at the place where it would alone
function c : mat = product_too_far(a : mat, b : mat, n : int)
    c = uninit(size(a,0), size(b,1))
    for i = 0..size(a,0)-1
        for j = 0..size(b,1)-1
            s = 0.0
            for k = 0..n-1
                s += a[i,k]*b[k,j]
            endfor
            c[i,j] = s
        endfor
    endfor
endfunction

function [] = main()
    for M = [0, 1, 2, 3, 4, 5, 17, 100]
        for N = [0, 1, 3, 17, 31, 32, 33, 100]
            K = mod(M + N, 7)
            a = numbers(M, K)
            b = numbers(K, N)
            c = numbers(M, N)
            add_product(a, b, c)
            d = numbers(M + 2, N)
            inner_product(numbers(M + 2, K), b, d)
            print M, " ", N, " ", digest(product(a, b)), " ", digest(c), " ", digest(distances(a, b)), " ", digest(d)
        endfor
    endfor
    for M = [3, 4, 9]
        a = int(numbers(M, 5))
        b = int(numbers(5, 40))
        print digest(scalar(product(a, b)))
        p = product_of_doubles(doubles(M, 5), doubles(5, 70))
        print p[M-1,69], " ", p[0,0], " ", p[M-1,31]
    endfor
    for N = [1, 2, 5, 8]
        for W = [3, 32, 47]
            w = reshape(numbers(N, 3*N, 3), N, N, 3, 3)
            print digest(layer_chw(numbers(N, 7, W), w, ones(N)))
            v = reshape(numbers(3, 3*N, W), 3, 3, N, W)
            print digest(layer_hwc(numbers(6, N + 1, N), v))
            print digest(filtered(numbers(N, W), numbers(3, 5)))
        endfor
    endfor
    % a number that is none stays in its row or column
    a = numbers(6, 3)
    b = numbers(3, 40)
    a[4,1] = 0/0
    c = product(a, b)
    print digest(c[0..3,0..39]), " ", c[4,0], " ", c[4,39], " ", c[5,0]
    b[2,35] = 1/0
    c = product(a, b)
    print c[0,34], " ", c[0,35], " ", c[3,35], " ", c[3,36]
    try
        c = product_too_far(numbers(6, 3), numbers(4, 40), 4)
    catch e
        print "too far"
    endtry
endfunction
