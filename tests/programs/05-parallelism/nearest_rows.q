% Positions along one dimension that go along rows of their own once more for each row of another array.

% the place of the nearest row
function y : vec[int] = nearest(q : mat, x : mat)
    y = zeros[int](size(q,0))
    for i = 0..size(q,0)-1
        best = 1e30
        at = 0
        for j = 0..size(x,0)-1
            d = 0.0
            for k = 0..size(x,1)-1
                d += (q[i,k]-x[j,k])^2
            endfor
            if d < best
                best = d
                at = j
            endif
        endfor
        y[i] = at
    endfor
endfunction

% its distance, in double precision, without the first component
function y : vec[scalar'double] = distance(q : mat[scalar'double], x : mat[scalar'double])
    y = zeros[scalar'double](size(q,0))
    for i = 0..size(q,0)-1
        best = 1e30
        for j = 0..size(x,0)-1
            d = 0.0
            for k = 1..size(x,1)-1
                d += abs(q[i,k]-x[j,k])
            endfor
            best = min(best, d)
        endfor
        y[i] = best
    endfor
endfunction

% whole numbers: how many places agree in all rows
function y : vec[int] = agreeing(q : mat[int], x : mat[int])
    y = zeros[int](size(q,0))
    for i = 0..size(q,0)-1
        n = 0
        for j = 0..size(x,0)-1
            for k = 0..size(x,1)-1
                if q[i,k] == x[j,k]
                    n += 1
                endif
            endfor
        endfor
        y[i] = n
    endfor
endfunction

% sums of slices
function y : vec = by_slices(q : mat, x : mat)
    y = zeros(size(q,0))
    for i = 0..size(q,0)-1
        s = 0.0
        for j = 0..size(x,0)-1
            s = max(s, sum(q[i,:].*x[j,:]))
        endfor
        y[i] = s
    endfor
endfunction

function y : mat = numbers(M : int, N : int, seed : int)
    y = uninit(M,N)
    for m = 0..M-1
        for n = 0..N-1
            y[m,n] = mod(m*37 + n*101 + m*n*seed + seed, 64)/8
        endfor
    endfor
endfunction

function [] = main()
    % too few rounds for rows side by side, enough of them, and other rows than there are columns
    for rows = [3, 70, 131]
        for others = [2, 75]
            q = numbers(rows, 5, 3)
            x = numbers(others, 5, 11)
            print rows, " ", others, ": ", sum(nearest(q, x)), " ", sum(distance(double(q), double(x))), " ", sum(by_slices(q, x))
            print nearest(q, x)[0..2]
            print sum(agreeing(int(q), int(x)))
        endfor
    endfor
    try
        % rows that are too short for the sum
        print nearest(numbers(80, 4, 1), numbers(80, 5, 1))
    catch e
        print "an index is outside"
    endtry
endfunction
