% Matrices under two names, also under other dimensions: rows, columns, stencils in place.
function [] = down(a : mat, b : mat)
    for m = 1..size(a,0) - 1
        for n = 0..size(a,1) - 1
            a[m,n] = b[m - 1,n] + 1
        endfor
    endfor
endfunction
function [] = right(a : mat, b : mat)
    for n = 1..size(a,1) - 1
        for m = 0..size(a,0) - 1
            a[m,n] = b[m,n - 1] + 1
        endfor
    endfor
endfunction
function [] = stencil(a : mat, b : mat)
    for m = 1..size(a,0) - 2
        for n = 1..size(a,1) - 2
            a[m,n] = b[m - 1,n] + b[m + 1,n] + b[m,n - 1] + b[m,n + 1]
        endfor
    endfor
endfunction
function [] = transposed(a : mat, b : mat)
    for m = 0..size(a,0) - 1
        for n = 0..size(a,1) - 1
            a[m,n] = b[n,m] + 1
        endfor
    endfor
endfunction
function [] = own(a : mat, b : mat)
    for m = 0..size(a,0) - 1
        for n = 0..size(a,1) - 1
            a[m,n] = b[m,n] + 1
        endfor
    endfor
endfunction
function [] = in_common(a : mat, b : mat)
    for m = 0..min(size(a,0), size(b,0)) - 1
        for n = 0..min(size(a,1), size(b,1)) - 1
            a[m,n] = b[m,n] + 1
        endfor
    endfor
endfunction
function [] = flat(a : mat, b : vec)
    for m = 1..size(a,0) - 1
        for n = 0..size(a,1) - 1
            a[m,n] = b[(m - 1) * size(a,1) + n] + 1
        endfor
    endfor
endfunction
function v : vec = flattened(a : mat)
    v = reshape(a, numel(a))
endfunction
function [] = column_of(a : mat, b : mat, n : int)
    for m = 1..size(a,0) - 1
        a[m,n] = b[m - 1,n] + 1
    endfor
endfunction
function [] = row_of(a : mat, b : mat, m : int)
    for n = size(a,1) - 2..-1..0
        a[m,n] = b[m,n + 1] + 1
    endfor
endfunction
function [] = planes(a : cube, b : cube)
    for p = 1..size(a,2) - 1
        for m = 0..size(a,0) - 1
            for n = 0..size(a,1) - 1
                a[m,n,p] = b[m,n,p - 1] + 1
            endfor
        endfor
    endfor
endfunction
function [] = main()
    x = zeros(4,5)
    y = ones(4,5)
    down(x, y)
    print x
    down(x, x)
    print x
    right(x, x)
    print x
    stencil(x, x)
    print x
    stencil(y, x)
    print y
    q = reshape(0..15, 4, 4)
    p = float(q)
    transposed(p, p)
    print p
    own(p, p)
    print p
    in_common(x, reshape(x, 5, 4))
    print x
    in_common(reshape(x, 2, 10), x)
    print x
    flat(x, reshape(x, 20))
    print x
    flat(x, flattened(x))
    print x
    flat(x, zeros(20))
    print x
    column_of(x, x, 2)
    print x
    row_of(x, x, 3)
    print x
    z = zeros(2,2,3)
    planes(z, z)
    print sum(z), z[1,1,2]
endfunction
