% Rows of positions that cross the rows of an array: turned tiles, whole and cut off, also where indices leave the array.

function y : mat = turned(x : mat)
    y = uninit(size(x,1), size(x,0))
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            y[m,n] = x[n,m]
        endfor
    endfor
endfunction

function y : mat = folded(x : mat'clamped, a : int, b : int)
    y = uninit(size(x,1), size(x,0))
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            y[m,n] = x[n+a,m+b] + 2*x[n,m] + 3*x[n-1,size(x,1)-1-m]
        endfor
    endfor
endfunction

function y : mat = round_about(x : mat'circular, a : int)
    y = uninit(size(x,1), size(x,0))
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            y[m,n] = x[n+a,m-a] - x[n,m]
        endfor
    endfor
endfunction

function y : mat = symmetric(x : mat'safe)
    y = uninit(size(x))
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            y[m,n] = x[m,n] + 2*x[n,m] + 4*x[n,m-1]
        endfor
    endfor
endfunction

function y : cube = planes(x : cube'mirror)
    y = uninit(size(x,1), size(x,2), size(x,0))
    for c = 0..size(y,0)-1
        for m = 0..size(y,1)-1
            for n = 0..size(y,2)-1
                y[c,m,n] = x[n,c,m] + 2*x[n+1,c,m]
            endfor
        endfor
    endfor
endfunction

function y : mat[int] = whole(x : mat[int]'clamped)
    y = mat[int](size(x,1), size(x,0))
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            y[m,n] = x[n,m]*m
        endfor
    endfor
endfunction

function [] = show(y : cube)
    s = 0
    {!serial for}
    for a = 0..size(y,0)-1
        for b = 0..size(y,1)-1
            for c = 0..size(y,2)-1
                s = mod(s + int(y[a,b,c])*(1 + mod(7*a + 3*b + c, 11)), 65521)
            endfor
        endfor
    endfor
    print size(y,0), " ", size(y,1), " ", size(y,2), " ", s
endfunction

function y : mat = filled(rows : int, cols : int)
    y = zeros(rows, cols)
    for m = 0..rows-1
        for n = 0..cols-1
            y[m,n] = mod(m*13 + n*7 + n*n, 64)
        endfor
    endfor
endfunction

function [] = main()
    for rows = [1, 15, 66]
        for cols = [1, 16, 37, 70]
            x = filled(rows, cols)
            show(turned(x))
            show(folded(x, 0, 0))
            show(folded(x, -3, 2))
            show(round_about(x, 5))
        endfor
    endfor
    show(symmetric(filled(70, 70)))
    z = zeros(19, 5, 35)
    v = mat[int](50, 33)
    for m = 0..18
        for n = 0..34
            for c = 0..4
                z[m,c,n] = mod(m*5 + n*n + c*9, 50)
            endfor
        endfor
    endfor
    for m = 0..49
        for n = 0..32
            v[m,n] = mod(m*3 + n*n, 99)
        endfor
    endfor
    show(planes(z))
    show(float(whole(v)))
endfunction
