% Loops that take another number of rounds for each position.

function y : imat = escapes(M : int, N : int, limit : int)
    y = uninit[int](M, N)
    for m = 0..M-1
        for n = 0..N-1
            cr = -2.0 + 3.0*n/N
            ci = -1.5 + 3.0*m/M
            zr = 0.0
            zi = 0.0
            k = 0
            while k < limit && zr*zr + zi*zi <= 4
                t = zr*zr - zi*zi + cr
                zi = 2*zr*zi + ci
                zr = t
                k += 1
            endwhile
            y[m,n] = k
        endfor
    endfor
endfunction

function y : ivec = steps(n : int)
    y = uninit[int](n)
    for i = 0..n-1
        k = i + 1
        c = 0
        while k != 1 && c < 300
            if mod(k, 2) == 0
                k = int(k/2)
            else
                k = 3*k + 1
            endif
            c += 1
        endwhile
        y[i] = c
    endfor
endfunction

% two loops one behind the other, of which the second may have no round, and elements of arrays
function y : mat = roots(x : mat, low : vec'safe)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            a = x[m,n]
            r = a + 1
            while r*r > a
                r -= 1
            endwhile
            while r < low[n-3] + x[m,0]
                r += 2
            endwhile
            y[m,n] = r
        endfor
    endfor
endfunction

% a loop in a loop that all positions share
function y : mat = sums(x : mat'mirror, r : int)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 0.0
            for d = -r..r
                v = x[m,n+d]
                while v > 3
                    v -= 4
                    s += 1
                endwhile
                s += 100*v
            endfor
            y[m,n] = s
        endfor
    endfor
endfunction

% a loop in a loop that positions do not share
function y : ivec = divisions(n : int)
    y = uninit[int](n)
    for i = 0..n-1
        a = i
        b = 36
        c = 0
        while b != 0
            while a >= b
                a -= b
                c += 1
            endwhile
            t = a
            a = b
            b = t
        endwhile
        y[i] = 1000*a + c
    endfor
endfunction

function x : mat = numbers(M : int, N : int)
    x = uninit(M, N)
    for m = 0..M-1
        for n = 0..N-1
            x[m,n] = mod(7*m + 3*n + m*n, 41)
        endfor
    endfor
endfunction

function [] = main()
    for N = [3, 16, 45, 70]
        y = escapes(N, N+1, 60)
        print sum(y), " ", sum(y[:,int(N/2)]), " ", y[0,:]
        x = numbers(N, N+2)
        z = roots(x, x[1,:])
        print sum(z), " ", z[2,:]
        z = sums(x, 2)
        print sum(z), " ", z[1,:]
    endfor
    c = steps(1000)
    print sum(c), " ", max(c), " ", c[0..20]
    d = divisions(100)
    print sum(d), " ", d[0..20]
endfunction
