% Recurrences along the first dimension: the loops inside are parallel, and on devices one launch over them does all steps.
function y : mat = filtered(x : mat, a : scalar)
    y = copy(x)
    for m = 1..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = a*x[m,n] + (1-a)*y[m-1,n]
        endfor
    endfor
endfunction

function y : mat = by_slices(x : mat, a : scalar)
    y = copy(x)
    for m = 1..size(x,0)-1
        y[m,:] = a*x[m,:] + (1-a)*y[m-1,:]
    endfor
endfunction

function y : mat = upwards(x : mat)
    y = copy(x)
    for m = size(x,0)-2..-1..0
        for n = 0..size(x,1)-1
            if x[m,n] > 4
                y[m,n] += y[m+1,n]
            else
                y[m,n] -= 2*y[m+1,n]
            endif
        endfor
    endfor
endfunction

% Two dimensions that are parallel, and a variable of the iteration.
function y : cube = planes(x : cube)
    y = copy(x)
    for k = 1..size(x,0)-1
        for m = 0..size(x,1)-1
            for n = 0..size(x,2)-1
                t = y[k-1,m,n] - x[k,m,n]
                y[k,m,n] = t*t - 3*t + k
            endfor
        endfor
    endfor
endfunction

% Systems of tridiagonal matrices, one for each column.
function y : mat = tridiagonal(a : vec, d : mat)
    [M, N] = size(d)
    y = copy(d)
    c = zeros(M,N)
    for m = 1..M-1
        for n = 0..N-1
            w = 4 - a[m]*c[m-1,n]
            c[m,n] = 1/w
            y[m,n] = (y[m,n] - a[m]*y[m-1,n])/w
        endfor
    endfor
    for m = M-2..-1..0
        for n = 0..N-1
            y[m,n] -= c[m,n]*y[m+1,n]
        endfor
    endfor
endfunction

% The least sum of a path from the first row: neighbours are read, so that this stays a launch for each row.
function y : imat = paths(x : imat)
    y = copy(x)
    for m = 1..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = x[m,n] + min(y[m-1,max(n-1,0)], min(y[m-1,n], y[m-1,min(n+1,size(x,1)-1)]))
        endfor
    endfor
endfunction

% Two names of one array.
function [] = in_place(x : mat, y : mat)
    for m = 1..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = x[m-1,n] + y[m,n]
        endfor
    endfor
endfunction

function [] = main()
    x = 1.0 * mod(repmat(transpose(0..6), [1,5])*3 + repmat(0..4, [7,1])*5, 8)
    print filtered(x, 0.5)
    print sum(abs(filtered(x, 0.5) - by_slices(x, 0.5)))
    print upwards(x)
    print planes(reshape(mod(0..23, 5), [4,2,3]))
    print int(1000*tridiagonal(ones(7), x))
    print paths(int(x))
    in_place(x, x)
    print x
    % Wide enough for launches on the processor, too.
    w = mod(repmat(transpose(0..11), [1,9000])*3 + repmat(0..8999, [12,1])*5, 8)
    print sum(floor(filtered(w, 0.5))), " ", sum(upwards(w)), " ", sum(paths(int(w)))
endfunction
