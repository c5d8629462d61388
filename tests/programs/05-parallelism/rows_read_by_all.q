% Rows that each position changes, beside one that all positions read.
function a : mat = lu(a0 : mat)
    a = copy(a0)
    N = size(a,0)
    for k=0..N-1
        for i=k+1..N-1
            a[i,k] = a[i,k]/a[k,k]
            for j=k+1..N-1
                a[i,j] = a[i,j] - a[i,k]*a[k,j]
            endfor
        endfor
    endfor
endfunction
function a : mat = lu_by_elements(a0 : mat)
    a = copy(a0)
    N = size(a,0)
    for k=0..N-2
        for i=k+1..N-1
            a[i,k] /= a[k,k]
        endfor
        for i=k+1..N-1
            for j=k+1..N-1
                a[i,j] -= a[i,k]*a[k,j]
            endfor
        endfor
    endfor
endfunction
function L : mat = chol(a : mat)
    n = size(a,0)
    L = zeros(n,n)
    for j=0..n-1
        s = a[j,j]
        for k=0..j-1
            s -= L[j,k]^2
        endfor
        L[j,j] = sqrt(s)
        for i=j+1..n-1
            s = a[i,j]
            for k=0..j-1
                s -= L[i,k]*L[j,k]
            endfor
            L[i,j] = s/L[j,j]
        endfor
    endfor
endfunction
function x : vec = forward(L : mat, b : vec)
    x = copy(b)
    n = numel(b)
    for k=0..n-1
        x[k] /= L[k,k]
        for i=k+1..n-1
            x[i] -= L[i,k]*x[k]
        endfor
    endfor
endfunction
function c : cube[int] = planes(c0 : cube[int])
    c = copy(c0)
    [n,h,w] = size(c)
    for k=0..n-2
        for i=k+1..n-1
            for r=0..h-1
                for s=0..w-1
                    c[i,r,s] = c[i,r,s] + c[k,r,s] - c[k,0,0]
                endfor
            endfor
        endfor
    endfor
endfunction
% The row that all read may be one of those written: threads share the array then.
function [] = shared(a : mat, k : int, f : int)
    parallel_do([size(a,0)-f,size(a,1)], a, k, f, __kernel__ (a : mat, k : int, f : int, pos : ivec2) -> a[pos[0]+f,pos[1]] = (pos[0]+f == k) ? a[pos[0]+f,pos[1]] : a[pos[0]+f,pos[1]] + a[k,pos[1]])
endfunction
function [] = main()
    N = 150
    a = mod(reshape(0..(N*N-1), [N,N]), 17)
    for i=0..N-1
        a[i,i] += 3000
    endfor
    u = lu(a)
    v = lu_by_elements(a)
    print max(abs(u - v)) < 0.001, " ", u[0,3], " ", round(u[N-1,N-1])
    s = (a + transpose(a))/2
    L = chol(s)
    print max(abs(L*transpose(L) - s)) < 0.01, " ", round(L[N-1,N-1])
    x = forward(L, s[:,3])
    print max(abs(x - L[3,:])) < 0.0001
    c = int(mod(reshape(0..(20*5*40-1), [20,5,40]), 7))
    d = planes(c)
    print sum(d), " ", d[19,4,39], " ", d[1,2,3]
    for k = [0,3,9]
        t = 1.0*reshape(0..(100*40-1), [100,40])
        shared(t, k, 2)
        print sum(t), " ", t[99,39], " ", t[2,0]
    endfor
    t = 1.0*reshape(0..(100*40-1), [100,40])
    shared(t, 1, 2)
    print sum(t), " ", t[99,39], " ", t[2,0]
endfunction
