% Columns that are stored behind sums of them: neighbouring columns go together, in vectors of several sizes, and few columns are divided
% among threads too. Numbers are such that sums and quotients are exact.

function x : mat = numbers(M : int, N : int)
    x = uninit(M, N)
    for n = 0..N-1
        for m = 0..M-1
            x[m,n] = mod(7*m + 3*n + m*n, 11) - 5
        endfor
    endfor
endfunction

% one number that changes when any element moves
function s : scalar = digest(x : mat)
    s = 0.0
    for n = 0..size(x,1)-1
        for m = 0..size(x,0)-1
            s += x[m,n]*(mod(5*m + n, 13) + 1)
        endfor
    endfor
endfunction

function y : mat = normalised(x : mat, g : vec, b : vec)
    [M, N] = size(x, 0..1)
    y = zeros(M, N)
    for n = 0..N-1
        s = 0.0
        q = 0.0
        for m = 0..M-1
            v = x[m,n]
            s += v
            q += v*v
        endfor
        mean = floor(s/M)
        r = g[n]*floor(q/M)
        for m = 0..M-1
            y[m,n] = (x[m,n] - mean)*r + b[n]
        endfor
    endfor
endfunction

function [] = shift(x : mat)
    for n = 0..size(x,1)-1
        least = x[0,n]
        for m = 1..size(x,0)-1
            least = min(least, x[m,n])
        endfor
        for m = 0..size(x,0)-1
            x[m,n] -= least
        endfor
    endfor
endfunction

% what is stored is read again
function y : mat = shares(x : mat)
    y = zeros(size(x))
    for n = 0..size(x,1)-1
        s = 0.0
        for m = 0..size(x,0)-1
            y[m,n] = abs(x[m,n])
            s += y[m,n]
        endfor
        for m = 0..size(x,0)-1
            y[m,n] *= mod(s, 5)
        endfor
    endfor
endfunction

% a sum over planes of rows for each channel
function y : cube = channels(x : cube)
    y = zeros(size(x))
    for c = 0..size(x,1)-1
        s = 0.0
        for m = 0..size(x,0)-1
            for k = 0..size(x,2)-1
                s += x[m,c,k]
            endfor
        endfor
        for m = 0..size(x,0)-1
            for k = 0..size(x,2)-1
                y[m,c,k] = x[m,c,k] - mod(s, 7)
            endfor
        endfor
    endfor
endfunction

function [] = main()
    for N = [1, 7, 8, 31, 40, 64, 129, 300, 517]
        x = numbers(90, N)
        a = normalised(x, mod(0..N-1, 3), mod(0..N-1, 5))
        z = copy(x)
        shift(z)
        print N, ": ", digest(a), " ", digest(z), " ", digest(shares(x)), " ", a[89,N-1], " ", z[89,N-1]
    endfor
    print "one row: ", normalised(numbers(1, 4), ones(4), ones(4)), " no row: ", size(normalised(zeros(0, 4), ones(4), ones(4)))
    for C = [1, 2, 5, 40]
        x = reshape(numbers(30*C, 70), [30, C, 70])
        y = channels(x)
        print C, " channels: ", sum(y), " ", y[29,C-1,69]
    endfor
endfunction
