% Contractions whose launches are large enough for square register tiles on devices: rows that are multiples of four and others,
% tiles at the edges, other element types, results that are added to, and borders.

function c : mat = product(a : mat, b : mat)
    c = uninit(size(a,0), size(b,1))
    for m = 0..size(a,0)-1
        for n = 0..size(b,1)-1
            s = 0.0
            for k = 0..size(a,1)-1
                s += a[m,k]*b[k,n]
            endfor
            c[m,n] = s
        endfor
    endfor
endfunction

function [] = add_product(a : mat, b : mat, c : mat)
    for m = 0..size(a,0)-1
        for k = 0..size(a,1)-1
            for n = 0..size(b,1)-1
                c[m,n] += a[m,k]*b[k,n]
            endfor
        endfor
    endfor
endfunction

function c : imat = common(a : imat, b : imat)
    c = uninit[int](size(a,0), size(b,0))
    for m = 0..size(a,0)-1
        for n = 0..size(b,0)-1
            s = 0
            for k = 0..size(a,1)-1
                if a[m,k] == b[n,k]
                    s += 1
                endif
            endfor
            c[m,n] = s
        endfor
    endfor
endfunction

function y : cube = layer(x : cube'mirror, w : cube, bias : vec)
    y = uninit(size(x,0), size(x,1), size(w,2))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for o = 0..size(w,2)-1
                s = bias[o]
                for j = 0..size(w,0)-1
                    for c = 0..size(x,2)-1
                        s += x[m,n+j-1,c]*w[j,c,o]
                    endfor
                endfor
                y[m,n,o] = max(s, 0)
            endfor
        endfor
    endfor
endfunction

function x : mat = numbers(rows : int, columns : int, seed : int)
    x = uninit(rows, columns)
    for m = 0..rows-1
        for n = 0..columns-1
            x[m,n] = mod(m*7 + n*5 + seed*m*n, 11) - 5
        endfor
    endfor
endfunction

function [] = sums(c : mat)
    w = 0.0
    for m = 0..size(c,0)-1
        for n = 0..size(c,1)-1
            w += c[m,n]*(mod(m*3 + n, 7) - 3)
        endfor
    endfor
    print size(c), " ", sum(c), " ", w, " ", c[size(c,0)-1,size(c,1)-1], " ", c[0,size(c,1)-1]
endfunction

function [] = main()
    sums(product(numbers(64, 12, 1), numbers(12, 64, 2)))
    sums(product(numbers(70, 12, 1), numbers(12, 68, 2)))
    sums(product(numbers(67, 13, 1), numbers(13, 72, 2)))
    sums(product(numbers(66, 12, 1), numbers(12, 71, 2)))
    c = numbers(72, 76, 3)
    add_product(numbers(72, 8, 1), numbers(8, 76, 2), c)
    sums(c)
    add_product(c[0..71,0..71], c[0..71,:], c)
    sums(c)
    d = common(int(numbers(68, 16, 1)), int(numbers(64, 16, 2)))
    print sum(d), " ", d[67,63], " ", d[0,0], " ", d[13,62]
    x = uninit(10, 9, 8)
    w = uninit(3, 8, 64)
    for k = 0..7
        x[:,:,k] = numbers(10, 9, k)
        w[:,k,:] = numbers(3, 64, k+1)
    endfor
    y = layer(x, w, linspace(-3, 3, 64))
    print round(sum(y)/1000), " ", round(y[0,0,5]), " ", round(y[9,8,63]), " ", round(y[4,0,17]), " ", round(y[5,8,1])
endfunction
