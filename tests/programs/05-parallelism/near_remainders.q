% Indices that wrap around, near and far, up and down, for divisors of any sign.
function y : mat = around(x : mat, v : mat, a : int, b : int)
    M = size(x,0)
    N = size(x,1)
    y = zeros(M,N)
    for m = 0..M-1
        for n = 0..N-1
            y[m,n] = x[mod(m+a,M), n] + 2*v[m, mod(n+b,N)] + 4*v[mod(m-a+M,M), mod(n+N-b,N)]
        endfor
    endfor
endfunction
function y : mat[int] = remainders(from : int, count : int, least : int, most : int)
    y = mat[int](count, most-least+1)
    for k = 0..count-1
        for n = least..most
            y[k, n-least] = mod(from+k, n)
        endfor
    endfor
endfunction
function s : int = ends(n : int)
    s = 0
    for k = 0..3
        s += mod(2147483640 + 4*k, n) + mod(-2147483640 - 4*k, n)
    endfor
endfunction
function [] = main()
    x = zeros(7,13)
    v = zeros(7,13)
    for m = 0..6
        for n = 0..12
            x[m,n] = 13*m + n
            v[m,n] = mod(5*m + 3*n, 11)
        endfor
    endfor
    print around(x, v, 1, 1)
    print around(x, v, -3, -12)
    print around(x, v, 20, 100)
    print remainders(-9, 20, -4, 4)
    print ends(3), " ", ends(-7), " ", ends(2147483647), " ", ends(1)
endfunction
