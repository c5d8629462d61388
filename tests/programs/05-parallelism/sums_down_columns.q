% loops of few positions that go down columns: threads share them, neighbouring columns together
function s : vec = down(x : mat)
    s = zeros(size(x,1))
    for n = 0..size(x,1)-1
        t = 0.0
        for m = 0..size(x,0)-1
            t += x[m,n]
        endfor
        s[n] = t
    endfor
endfunction
function y : vec = times(a : mat, x : vec)
    y = zeros(size(a,1))
    for n = 0..size(a,1)-1
        t = 1.0
        for m = 0..size(a,0)-1
            t += a[m,n]*x[m]
        endfor
        y[n] = t + n
    endfor
endfunction
function [lo : vec, hi : vec] = range_of(x : mat)
    lo = zeros(size(x,1))
    hi = zeros(size(x,1))
    for n = 0..size(x,1)-1
        a = 1000
        b = -1000
        for m = 0..size(x,0)-1
            a = min(a, x[m,n])
            b = max(b, x[m,n])
        endfor
        lo[n] = a
        hi[n] = b
    endfor
endfunction
function s : mat = planes(x : cube)
    s = zeros(size(x,1), size(x,2))
    for m = 0..size(x,1)-1
        for n = 0..size(x,2)-1
            t = 0.0
            for k = 0..size(x,0)-1
                t += x[k,m,n]
            endfor
            s[m,n] = t
        endfor
    endfor
endfunction
function c : ivec = counts(x : imat)
    c = ivec(size(x,1))
    for n = 0..size(x,1)-1
        t = 0
        for m = 0..2..size(x,0)-1
            if x[m,n] > 3
                t += 1
            endif
        endfor
        c[n] = t
    endfor
endfunction
function x : mat = ramp(M : int, N : int)
    x = zeros(M, N)
    for m = 0..M-1
        for n = 0..N-1
            x[m,n] = mod(7*m + 5*n + m*n, 16) - 4
        endfor
    endfor
endfunction
function [] = main()
    for N = [1, 5, 32, 33, 100]
        for M = [0, 1, 7, 300, 701]
            x = ramp(M, N)
            s = down(x)
            y = times(x, x[:,0])
            [lo, hi] = range_of(x)
            c = counts(int(x))
            p = planes(reshape(ramp(M, 3*N), [M, 3, N]))
            print M, " ", N, " ", sum(s), " ", s[N-1], " ", sum(y), " ", sum(lo), " ", sum(hi), " ", sum(c), " ", sum(p), " ", p[2,N-1]
        endfor
    endfor
endfunction
