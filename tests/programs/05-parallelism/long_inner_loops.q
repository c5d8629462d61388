% Inner loops along rows: sums, products and extremes in lanes, what is left over, and indices that are outside.
function y : mat = results(x : mat, from : int, to : int)
    y = zeros(size(x,0), 4)
    for i = 0..size(x,0)-1
        s = 1.0
        low = 1000.0
        high = -1000.0
        q = 0.0
        for k = from..to
            v = x[i,k] - 3
            s += v
            low = min(low, v)
            high = max(high, x[i,k])
            q -= v * v
        endfor
        y[i,0] = s
        y[i,1] = low
        y[i,2] = high
        y[i,3] = q
    endfor
endfunction
function y : mat = copies(x : mat, offset : int)
    y = zeros(size(x))
    for i = 0..size(x,0)-1
        s = 0.0
        for k = 0..size(x,1)-1-offset
            y[i,k] = x[i,k+offset] * 2
            s += y[i,k]
        endfor
        y[i,size(x,1)-1] = s
    endfor
endfunction
function y : vec = counts(x : imat)
    y = zeros(size(x,0))
    for i = 0..size(x,0)-1
        odd = 0
        last = -1
        for k = 0..size(x,1)-1
            odd += mod(x[i,k], 2)
            last = x[i,k]
        endfor
        y[i] = odd + 1000 * last
    endfor
endfunction
function y : mat = products(a : mat, b : mat)
    y = zeros(size(a,0), size(b,0))
    for i = 0..size(a,0)-1
        for j = 0..size(b,0)-1
            s = 0.0
            for k = 0..size(a,1)-1
                s += a[i,k] * b[j,k]
            endfor
            y[i,j] = s
        endfor
    endfor
endfunction
% The bounds are those before the loop, whatever becomes of their variables in it.
function y : vec = changing_bounds(x : imat)
    y = zeros(size(x,0))
    for i = 0..size(x,0)-1
        s = 0.0
        n = size(x,1)
        for k = 0..n-1
            n = x[i,k]
            s += n + 1
        endfor
        from = 7
        for k = from..199
            from = x[i,k]
            s += 2 * from
        endfor
        y[i] = s
    endfor
endfunction
function [] = main()
    x = zeros(5, 200)
    for i = 0..4
        for j = 0..199
            x[i,j] = mod(i*11 + j*7, 23)
        endfor
    endfor
    for each = [0, 1, 63, 64, 65, 127, 128, 199]
        r = results(x, 0, each)
        print each, " ", sum(r[:,0]), " ", sum(r[:,1]), " ", sum(r[:,2]), " ", sum(r[:,3])
    endfor
    r = results(x, 17, 150)
    print sum(r), " ", sum(results(x, 5, 2)), " ", sum(results(x, -0, -1))
    for offset = [0, 1, 100, 140, 199]
        y = copies(x, offset)
        print offset, " ", sum(y[:,0]), " ", sum(y[:,100]), " ", sum(y[:,199])
    endfor
    n : imat = mod(int(x) * 3 + 1, 7)
    print counts(n)
    print changing_bounds(n)
    print sum(products(x, x)), " ", products(x, x[0..1,:])[4,1]
    try
        print results(x, 0, 200)
    catch message
        print "outside the rows of x"
    endtry
    try
        print products(x, x[:,0..150])
    catch message
        print "outside the rows of b"
    endtry
endfunction
