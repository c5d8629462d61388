% Batches of small matrices: each position has a box of elements, which is taken whole where arrays have no others. Numbers are small
% integers, so that sums are exact.

function x : cube = numbers(N : int, P : int, Q : int)
    x = uninit(N, P, Q)
    for n = 0..N-1
        for i = 0..P-1
            for j = 0..Q-1
                x[n,i,j] = mod(7*n + 3*i + 5*j + n*i*j, 11) - 5
            endfor
        endfor
    endfor
endfunction

% one number that changes when any element moves
function s : scalar = digest(x : cube)
    s = 0.0
    for n = 0..size(x,0)-1
        for i = 0..size(x,1)-1
            for j = 0..size(x,2)-1
                s += x[n,i,j]*(mod(5*n + 2*i + j, 13) + 1)
            endfor
        endfor
    endfor
endfunction

function y : cube = products(a : cube, b : cube)
    y = zeros(size(a))
    for n = 0..size(a,0)-1
        for i = 0..2
            for j = 0..2
                s = 0.0
                for k = 0..2
                    s += a[n,i,k]*b[n,k,j]
                endfor
                y[n,i,j] = s
            endfor
        endfor
    endfor
endfunction

function y : cube = added(a : cube, b : cube)
    y = ones(size(a))
    for n = 0..size(a,0)-1
        for i = 0..3
            for j = 0..3
                for k = 0..3
                    y[n,i,j] += a[n,i,k]*b[n,k,j]
                endfor
            endfor
        endfor
    endfor
endfunction

% the first columns of products with a vector each
function y : mat = moved(a : cube, x : mat)
    y = zeros(size(x))
    for n = 0..size(x,0)-1
        for i = 0..2
            s = 0.0
            for k = 0..2
                s += a[n,i,k]*x[n,k]
            endfor
            if s > 0
                y[n,i] = s
            endif
        endfor
    endfor
endfunction

% all elements by name, some only sometimes, in place
function [] = adjugate(a : cube)
    for n = 0..size(a,0)-1
        d = a[n,0,0]*a[n,1,1] - a[n,0,1]*a[n,1,0]
        t = a[n,0,0]
        a[n,0,0] = a[n,1,1]
        a[n,1,1] = t
        a[n,0,1] = -a[n,0,1]
        a[n,1,0] = -a[n,1,0]
        if d < 0
            a[n,2,0] = d
        endif
        a[n,2,1] += d
    endfor
endfunction

function h : mat = tallies(x : cube)
    h = zeros(3, 11)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for c = 0..2
                h[c, int(x[m,n,c]) + 5] += c + 1
            endfor
        endfor
    endfor
endfunction

function [] = main()
    for N = [0, 1, 5, 33, 700]
        a = numbers(N, 3, 3)
        b = 2*numbers(N, 3, 3)
        print N, ": ", digest(products(a, b)), " ", digest(products(a, a)), " ", digest(added(numbers(N, 4, 4), numbers(N, 4, 4)))
    endfor
    % arrays with other elements beside
    print "larger: ", digest(products(numbers(40, 4, 5), numbers(40, 3, 3))), " ", digest(added(numbers(40, 4, 4), numbers(40, 5, 4)))
    a = numbers(50, 3, 3)
    y = moved(a, numbers(50, 3, 1)[:,:,0])
    print "moved: ", sum(y), " ", y[49,:]
    print "more of them: ", sum(moved(numbers(60, 3, 4), numbers(50, 4, 1)[:,:,0]))
    for P = 3..4
        z = numbers(60, P, 2)
        adjugate(z)
        print "adjugate: ", digest(z)
    endfor
    print "tallies: ", tallies(numbers(40, 30, 3))
    try
        y = products(numbers(9, 3, 3), numbers(9, 2, 3))
    catch e
        print "too few rows"
    endtry
    try
        y = moved(numbers(9, 3, 3), numbers(10, 3, 1)[:,:,0])
    catch e
        print "too few matrices"
    endtry
endfunction
