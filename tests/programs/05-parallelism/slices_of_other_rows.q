% Rows of an array that are computed from other rows of it: elimination, and slices that overlap the one that is stored.
function [] = scaled(b : mat, n : int)
    for i = 1..size(b,0)-1
        b[i,0..n-1] += b[0,0..n-1] * b[i,0]
    endfor
    print b
    for i = 1..size(b,0)-1
        b[i,0..n-2] += b[0,1..n-1] - b[i,1..n-1]
    endfor
    print b
    for i = 0..size(b,0)-1
        b[i,1..n-1] = b[i,0..n-2]
    endfor
    print b
endfunction

function [] = factored(c : mat, N : int)
    for k = 0..N-1
        for i = k..N-1
            c[i,k] -= sum(c[i,0..k-1] .* c[k,0..k-1])
        endfor
        c[k,k] = sqrt(c[k,k])
        for i = k+1..N-1
            c[i,k] /= c[k,k]
        endfor
    endfor
    print c
endfunction

function [] = wrapped(a : mat'circular, n : int)
    for i = 0..size(a,0)-1
        a[i,0..n-1] = a[i,0..n-1] + 1
    endfor
    print a
endfunction

function [] = main()
    N = 5
    a = zeros(N,N+1)
    for i = 0..N-1
        for j = 0..N
            a[i,j] = i == j ? 8 : mod(i*7 + j*13, 4)
        endfor
    endfor
    for k = 0..N-2
        for i = k+1..N-1
            a[i,k..N] -= a[i,k]/a[k,k] * a[k,k..N]
        endfor
    endfor
    x = zeros(N)
    for k = N-1..-1..0
        s = a[k,N]
        if k < N-1
            s -= sum(a[k,k+1..N-1] .* x[k+1..N-1])
        endif
        x[k] = s / a[k,k]
    endfor
    for i = 0..N-1
        printf("%.4f %.4f", a[i,i], x[i])
    endfor
    scaled([[1,2,3],[4,5,6],[7,8,9]], 3)
    wrapped(zeros(3,4), 6)
    factored([[4,2,6],[2,10,6],[6,6,19]], 3)
endfunction
