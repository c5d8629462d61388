% Elements at places which the column alone decides: along rows and along columns of pixels, near each other and far apart, rising,
% falling, out of range in every mode, and in any order.

function y : mat = nearest(x : mat'clamped, rows : int, cols : int)
    y = uninit(rows, cols)
    for m = 0..rows-1
        for n = 0..cols-1
            y[m,n] = x[int(floor((m+0.5)*size(x,0)/rows)), int(floor((n+0.5)*size(x,1)/cols))]
        endfor
    endfor
endfunction

% Both ways, with the next ones on either side.
function y : mat = around(x : mat'mirror, f : scalar, first : scalar, rows : int, cols : int)
    y = uninit(rows, cols)
    for m = 0..rows-1
        for n = 0..cols-1
            j = int(floor(n*f + first))
            y[m,n] = x[m,j-1] + 2*x[m,j] + 4*x[m,j+1] + 8*x[m+1,j+2]
        endfor
    endfor
endfunction

function y : mat = round_about(x : mat'circular, f : scalar, rows : int, cols : int)
    y = uninit(rows, cols)
    for m = 0..rows-1
        for n = 0..cols-1
            j = int(floor(n*f))
            y[m,n] = x[m,j] + 2*x[m,j+5]
        endfor
    endfor
endfunction

function y : mat = or_zero(x : mat'safe, f : scalar, rows : int, cols : int)
    y = uninit(rows, cols)
    for m = 0..rows-1
        for n = 0..cols-1
            j = int(floor(n*f))
            y[m,n] = x[m-1,j-2] + 2*x[m,j+3]
        endfor
    endfor
endfunction

% Places in an array, in any order, and an inner loop along the row from there.
function y : mat = listed(x : mat'clamped, at : vec[int]'unchecked)
    y = uninit(size(x,0), numel(at))
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            s = 0.0
            for d = -2..2
                s += (d+3)*x[m,at[n]+d]
            endfor
            y[m,n] = s
        endfor
    endfor
endfunction

% Pixels, of which the place counts columns, and planes.
function y : cube = pixels(x : cube'clamped, f : scalar, cols : int)
    y = uninit(size(x,0), cols, 3)
    for m = 0..size(x,0)-1
        for n = 0..cols-1
            j = int(floor(n*f))
            y[m,n,0] = x[m,j,0] + x[m,j+1,2]
            y[m,n,1] = x[m,j,1] + 2*x[m+1,j,0]
            y[m,n,2] = x[m,j,2] - x[m,j,1]
        endfor
    endfor
endfunction

function y : cube = planes(x : cube'clamped, f : scalar, cols : int)
    y = uninit(size(x,0), size(x,1), cols)
    for c = 0..size(x,0)-1
        for m = 0..size(x,1)-1
            for n = 0..cols-1
                j = int(floor(n*f))
                y[c,m,n] = x[c,m,j] - x[c,m+1,j+1]
            endfor
        endfor
    endfor
endfunction

% Whole numbers, and rows that lie across.
function y : mat[int] = turned(x : mat[int]'clamped, f : scalar, rows : int, cols : int)
    y = mat[int](rows, cols)
    for m = 0..rows-1
        for n = 0..cols-1
            y[m,n] = x[int(floor(n*f)),m] + m
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

function [] = main()
    x = zeros(40, 150)
    for m = 0..39
        for n = 0..149
            x[m,n] = mod(m*13 + n*7 + n*n, 64)
        endfor
    endfor
    for cols = [70, 149, 150, 151, 400]
        show(nearest(x, 61, cols))
    endfor
    for f = [0.0, 0.3, 1, 1.7, 3.9, 6.2, 40, -0.7, -2.5]
        show(around(x, f, 0.0, 40, 120))
        show(around(x, f, 75.5, 41, 131))
        show(round_about(x, f, 45, 133))
        show(or_zero(x, f, 45, 133))
    endfor
    places = vec[int](160)
    for n = 0..159
        places[n] = mod(n*n*n + 11*n, 155) - 2
    endfor
    show(listed(x, places))
    for n = 0..159
        places[n] = int(n/2) - 3
    endfor
    show(listed(x, places))
    z = zeros(30, 60, 3)
    w = zeros(3, 30, 60)
    for m = 0..29
        for n = 0..59
            for c = 0..2
                z[m,n,c] = mod(m*5 + n*n + c*9, 50)
                w[c,m,n] = mod(m*5 + n*n + c*9, 50)
            endfor
        endfor
    endfor
    for f = [0.25, 0.6, 1.3, 2.2, 5, -1]
        show(pixels(z, f, 140))
        show(planes(w, f, 140))
    endfor
    v = mat[int](200, 40)
    for m = 0..199
        for n = 0..39
            v[m,n] = mod(m*3 + n*n, 99)
        endfor
    endfor
    show(float(turned(v, 1.2, 45, 130)))
endfunction
