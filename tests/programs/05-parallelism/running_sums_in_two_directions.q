% Sums along rows and columns in one nest: the nest is distributed over two, which are parallel in different directions.
function [I : mat] = integral(x : mat)
    M = size(x,0)
    N = size(x,1)
    I = zeros(M+1,N+1)
    for m = 0..M-1
        s = 0.0
        for n = 0..N-1
            s += x[m,n]
            I[m+1,n+1] = I[m,n+1] + s
        endfor
    endfor
endfunction
function [I : mat, J : mat] = both(x : mat)
    M = size(x,0)
    N = size(x,1)
    I = zeros(M,N)
    J = zeros(M,N)
    for m = 0..M-1
        s = 0.0
        q = 0.0
        for n = 0..N-1
            v = x[m,n]
            s += v
            q += v*v
            if m == 0
                I[m,n] = s
                J[m,n] = q
            else
                I[m,n] = s + I[m-1,n]
                J[m,n] = q + J[m-1,n] + 0*v
            endif
        endfor
    endfor
endfunction
% an exponential mean along rows, then along columns
function [y : mat] = ema(x : mat, a : scalar)
    M = size(x,0)
    N = size(x,1)
    y = zeros(M,N)
    for m = 1..M-1
        e = x[m,0]
        for n = 1..N-1
            e = a*x[m,n] + (1-a)*e
            y[m,n] = a*e + (1-a)*y[m-1,n]
        endfor
    endfor
endfunction
% counts and the longest run above
function [r : imat] = runs(x : mat, t : scalar)
    r = imat(size(x,0), size(x,1))
    for m = 1..size(x,0)-1
        c = 0
        for n = 0..size(x,1)-1
            if x[m,n] > t
                c += 1
            else
                c = 0
            endif
            r[m,n] = max(r[m-1,n], c)
        endfor
    endfor
endfunction
% what comes behind changes what is in front: stays
function [y : mat] = mixed(x : mat)
    y = copy(x)
    for m = 1..size(x,0)-1
        s = 0.0
        for n = 0..size(x,1)-1
            s += y[m-1,n]
            y[m,n] = y[m,n] + mod(s, 7)
        endfor
    endfor
endfunction
% from the last element on
function [I : mat] = backwards(x : mat)
    M = size(x,0)
    N = size(x,1)
    I = zeros(M+1,N+1)
    for m = M-1..-1..0
        s = 0.0
        for n = N-1..-1..0
            s += x[m,n]
            I[m,n] = I[m+1,n] + s
        endfor
    endfor
endfunction
% two rows that are used in turns: as many iterations as there are would not fit into an array
function [r : mat] = rolling(x : mat)
    r = zeros(2,size(x,1))
    for m = 1..size(x,0)-1
        s = 0.0
        for n = 0..size(x,1)-1
            s += x[m,n]
            r[mod(m,2),n] = mod(r[mod(m-1,2),n] + s, 101)
        endfor
    endfor
endfunction
function [] = all_of(x : mat)
    b = backwards(x)
    print sum(b), " ", b[0,0], " ", b[3,4]
    print sum(rolling(x))
    I = integral(x)
    print sum(I), " ", I[3,5], " ", I[size(I,0)-1,size(I,1)-1]
    [A, B] = both(x)
    print sum(A), " ", B[6,4], " ", B[3,2]
    y = ema(x, 0.5)
    print round(1000*y[3,4]), " ", round(1000*y[6,5])
    r = runs(x, 3)
    print sum(r), " ", max(r)
    print sum(mixed(x))
    e = integral(zeros(0,4))
    print sum(e), " ", size(e)
endfunction
function x : mat = numbers(M : int, N : int)
    x = zeros(M,N)
    for m = 0..M-1
        for n = 0..N-1
            x[m,n] = mod(m*5+n*3,11)
        endfor
    endfor
endfunction
function [] = main()
    all_of(numbers(70,9))
    all_of(numbers(7,11))
    all_of(numbers(40,50))
endfunction
