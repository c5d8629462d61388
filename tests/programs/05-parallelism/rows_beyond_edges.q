% Sums along rows that go on beyond the edges of the array, at several sizes: nothing can fail, and yet indices are outside.

function y : vec = mirrored(x : mat'mirror, n : int)
    y = zeros(size(x,0))
    for i = 0..size(x,0)-1
        t = 0.0
        for k = -3..n-1
            t += x[i,k]
        endfor
        y[i] = t
    endfor
endfunction

function y : mat = safe_rows(x : mat'safe, n : int)
    y = zeros(size(x,0), n)
    for i = 0..size(x,0)-1
        t = 0.0
        for k = 0..n-1
            t += x[i,k]
        endfor
        for k = 0..n-1
            y[i,k] = x[i,k] + t
        endfor
    endfor
endfunction

function [] = main()
    for n = [40, 300, 2000]
        x = zeros(5, n)
        for i = 0..4
            for k = 0..n-1
                x[i,k] = mod(i + k, 9)
            endfor
        endfor
        print mirrored(x, n + 20)
        y = safe_rows(x, n + 50)
        print y[2,7], " ", y[4,n-1], " ", y[4,n+49], " ", y[0,n]
        print sum(safe_rows(x, 3))
    endfor
endfunction
