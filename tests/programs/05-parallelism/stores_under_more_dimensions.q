% Elements of arrays with one more index than dimensions, in loops and in arrays that iterations make: of images with one channel, of which the type is
% that of a matrix, and of arrays with 65 to 1024 elements, which kernels keep in memory.

function y : vec = f(n : int)
    y = zeros(n)
    for i = 0..n-1
        w = zeros(10,10)
        for k = 0..9
            w[k,mod(i,10),0] = k + i
            w[k,3,0] += 1
        endfor
        s = 0.0
        for k = 0..9
            s += w[k,3] + 2*w[k,mod(i,10),0]
        endfor
        y[i] = s
    endfor
endfunction
function y : vec = g(n : int)
    y = zeros(n)
    for i = 0..n-1
        w = zeros(2,3)
        for k = 0..1
            w[k,mod(i,3),0] = k + i
            w[k,1,0] += 1
        endfor
        y[i] = w[0,1] + w[1,2]*3 + w[1,0,0]
    endfor
endfunction
function [] = own()
    print f(12)
    print g(12)
    x = zeros(20,20)
    y = zeros(20,20)
    for m = 0..19
        for n = 0..19
            x[m,n,0] = m*n
        endfor
    endfor
    for m = 0..19
        for n = 0..19
            y[m,n,0] = x[n,m,0] + x[m,n]
        endfor
    endfor
    print sum(y), " ", y[3,4], " ", y[4,3,0]
endfunction
function s : scalar = big(M : int, N : int)
    X = zeros(M, N, 1)
    for m = 0..size(X, 0)-1
        for n = 0..size(X, 1)-1
            for c = 0..size(X, 2)-1
                X[m, n, c] = m+n
            endfor
        endfor
    endfor
    s = sum(X)
endfunction
function s : scalar = upd(M : int, N : int)
    X = zeros(M, N, 1)
    for m = 0..M-1
        for n = 0..N-1
            X[m, n, 0] += m+n
        endfor
    endfor
    s = sum(X)
endfunction
function [] = main()
    X50 = zeros[int](3, 48, 1)
    for m51 = 0..size(X50, 0)-1
        for n52 = 0..size(X50, 1)-1
            for c53 = 0..size(X50, 2)-1
                X50[m51, n52, c53] = (mod(2*n52 + 9*m51 + n52*c53 + c53, 13) - 5)
            endfor
        endfor
    endfor
    print sum(X50)
    X51 = zeros(3, 48, 1)
    for m51 = 0..size(X51, 0)-1
        for n52 = 0..size(X51, 1)-1
            for c53 = 0..size(X51, 2)-1
                X51[m51, n52, c53] = m51+n52
            endfor
        endfor
    endfor
    print sum(X51)
    X = zeros(3, 4)
    for m51 = 0..size(X, 0)-1
        for n52 = 0..size(X, 1)-1
            X[m51, n52] = m51+n52
        endfor
    endfor
    print sum(X)
    A = zeros(3, 4, 1)
    for m = 0..size(A, 0)-1
        for n = 0..size(A, 1)-1
            for c = 0..size(A, 2)-1
                A[m, n, c] = m+n
            endfor
        endfor
    endfor
    print sum(A)
    B = zeros(40, 40, 1)
    for m = 0..39
        for n = 0..39
            B[m, n, 0] = m+n
        endfor
    endfor
    print sum(B)
    print big(5,6), " ", big(70,80), " ", upd(5,6), " ", upd(70,80)
    Z = zeros(20,20)
    for m = 0..19
        for n = 0..19
            Z[m, n, 0] += m
            Z[m, n, 0] = Z[m,n,0]*2
        endfor
    endfor
    print sum(Z)
    own()
endfunction
