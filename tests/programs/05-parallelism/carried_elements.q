% Iterations that read what the ones before wrote.
function y : vec = filtered(x : vec, b : scalar, a1 : scalar, a2 : scalar)
    y = zeros(numel(x))
    for i=2..numel(x)-1
        y[i] = b*x[i] - a1*y[i-1] - a2*y[i-2]
    endfor
endfunction
function y : mat = along_rows(x : mat, a : scalar)
    y = zeros(size(x))
    for m=0..size(x,0)-1
        y[m,0] = x[m,0]
        for n=1..size(x,1)-1
            y[m,n] = a*y[m,n-1] + x[m,n]
        endfor
    endfor
endfunction
function d : mat[int] = edits(a : vec[int], b : vec[int])
    d = zeros[int](numel(a)+1, numel(b)+1)
    for i=1..numel(a)
        d[i,0] = i
    endfor
    for j=1..numel(b)
        d[0,j] = j
    endfor
    for i=1..numel(a)
        for j=1..numel(b)
            d[i,j] = min(min(d[i-1,j], d[i,j-1]) + 1, d[i-1,j-1] + (a[i-1] != b[j-1]))
        endfor
    endfor
endfunction
function [] = relaxed(u : mat, t : int)
    for k=1..t
        for i=1..size(u,0)-2
            for j=1..size(u,1)-2
                u[i,j] = 0.25*(u[i-1,j] + u[i+1,j] + u[i,j-1] + u[i,j+1])
            endfor
        endfor
    endfor
endfunction
% The second element back alone, from an index that may be outside, and more than one element of an iteration.
function y : vec = every_second(x : vec, first : int)
    y = copy(x)
    for i=first..numel(x)-1
        y[i] = y[i] + 2*y[i-2]
        y[i] = y[i] - 1
    endfor
endfunction
function y : vec = fibonacci(n : int, from : int)
    y = ones(n)
    for i=from..n-1
        y[i] = mod(y[i-1] + y[i-2], 1000)
    endfor
endfunction
function [] = scanned(x : vec[uint8])
    for i=1..numel(x)-1
        x[i] = mod(int(x[i]) + int(x[i-1]), 256)
    endfor
endfunction
function [] = main()
    x = 1.0*mod(0..299, 7)
    y = filtered(x, 1, -0.5, 0.25)
    print y[0..6], " ", y[299]
    z = along_rows(reshape(x, [3,100]), 0.5)
    print z[0,0..4], " ", z[2,99]
    d = edits(int(mod(0..99, 5)), int(mod(3*(0..79), 7)))
    print d[100,80], " ", d[3,0..5]
    u = reshape(x, [10,30])
    relaxed(u, 3)
    print u[8,20..24]
    print sum(every_second(x[0..19], 2)), " ", every_second(x[0..5], 2)
    print fibonacci(60, 2)[50..59], " ", fibonacci(1, 2), " ", fibonacci(0, 2)
    b = uint8(x)
    scanned(b)
    print b[290..299]
    try
        print fibonacci(60, 1)
    catch e
        print "outside"
    endtry
    try
        print every_second(x, 1)
    catch e
        print "outside"
    endtry
endfunction
