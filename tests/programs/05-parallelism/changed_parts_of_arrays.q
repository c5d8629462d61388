% parts of arrays that positions read and write, next to other parts of the same arrays
function [] = rowup(x : mat, i : int, k : int, f : scalar)
    for j = k+1..size(x,1)-1
        x[i,j] = x[i,j] - f*x[k,j]
    endfor
endfunction
function [] = butterfly(x : vec, h : int)
    for n = 0..h-1
        a = x[n]
        b = x[n+h]
        x[n] = a + b
        x[n+h] = a - b
    endfor
endfunction
function [] = folded(x : vec[int], h : int)
    for n = 0..numel(x)-h-1
        if x[n+h] > 20
            x[n] = x[n] + 2*x[n+h]
        endif
    endfor
endfunction
function [] = reversed(x : vec, h : int)
    for n = 0..h-1
        x[h-1-n] = x[h-1-n] + x[n+h]
    endfor
endfunction
function [] = lifted(x : vec, a : scalar)
    for n = 0..int(numel(x)/2)-2
        x[2*n+1] = x[2*n+1] + a*(x[2*n] + x[2*n+2])
    endfor
endfunction
function [] = pairs(x : mat, i : int, k : int)
    for n = 0..int(size(x,1)/2)-1
        x[i,2*n] = x[i,2*n] + x[k,2*n+1]
        x[i,2*n+1] = x[i,2*n+1] - x[k,2*n]
    endfor
endfunction
function [] = bytes(x : mat[uint8], i : int, k : int)
    for n = 0..size(x,1)-1
        x[i,n] = uint8(x[i,n] + x[k,n])
    endfor
endfunction
function b : mat = eliminated(a : mat)
    b = copy(a)
    n = size(b,0)
    for k = 0..n-2
        for i = k+1..n-1
            f = b[i,k]/b[k,k]
            b[i,k+1..n-1] -= f*b[k,k+1..n-1]
        endfor
    endfor
endfunction
function [] = show(name : string, x)
    v = reshape(float(x), [1, numel(x)])
    print name, " ", sum(v), " ", sum(v .* mod(1..numel(v), 7)), " ", v[0,1], " ", v[0,numel(v)-1]
endfunction
function [] = main()
    for width = [2, 9, 80]
        x = zeros(5, width)
        for m = 0..4
            for n = 0..width-1
                x[m,n] = mod(7*m + 5*n, 23)
            endfor
        endfor
        print width, " wide"
        rowup(x, 3, 0, 0.5)
        show("another row", x)
        rowup(x, 2, 2, 0.5)
        show("the same row", x)
        v = reshape(copy(x[1,:]), [width])
        h = int(width/2)
        butterfly(v, h)
        show("halves", v)
        w = zeros[int](width)
        for n = 0..width-1
            w[n] = mod(11*n, 29)
        endfor
        folded(w, h)
        show("folded", w)
        % halves that overlap
        folded(w, 1)
        show("folded over", w)
        reversed(v, h)
        show("reversed", v)
        lifted(v, 0.5)
        show("lifted", v)
        pairs(x, 1, 4)
        show("pairs", x)
        pairs(x, 4, 4)
        show("pairs of a row", x)
        y = zeros[uint8](5, width)
        y[:,:] = 100
        bytes(y, 1, 2)
        show("bytes", y)
        try
            bytes(y, 3, 1)
            print "a sum of 300"
        catch e
            print "bytes failed"
        endtry
        show("bytes behind a failure", y[0..2,:])
        a = zeros(5, 5)
        for m = 0..4
            for n = 0..4
                a[m,n] = m == n ? 64 : mod(m + 2*n, 5)
            endfor
        endfor
        show("eliminated", round(1000*eliminated(a)))
    endfor
endfunction
