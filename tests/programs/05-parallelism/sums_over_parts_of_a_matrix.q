% Sums of products over parts of a matrix: positions outside of a part may add too, and store nothing.

function c : mat = upper(d : mat)
    m = size(d,1)
    c = -ones(m, m)
    for i = 0..m-1
        for j = i..m-1
            s = 0.0
            for k = 0..size(d,0)-1
                s += d[k,i]*d[k,j]
            endfor
            c[i,j] = s
            c[j,i] = s + (i == j ? 0 : 1)
        endfor
    endfor
endfunction

function c : mat = strictly_lower(a : mat, b : mat)
    c = zeros(size(a,0), size(b,1))
    for i = 0..size(a,0)-1
        for j = 0..min(i, size(b,1))-1
            s = 1.0
            for k = 0..size(a,1)-1
                s += a[i,k]*b[k,j]
            endfor
            c[i,j] = s
        endfor
    endfor
endfunction

function c : mat = band(a : mat, b : mat, w : int)
    c = zeros(size(a,0), size(b,1))
    for i = 0..size(a,0)-1
        for j = 0..size(b,1)-1
            if j >= i - w && j <= i + w
                s = 0.0
                for k = 0..size(a,1)-1
                    s += a[i,k]*b[k,j]
                endfor
                c[i,j] = s
            endif
        endfor
    endfor
endfunction

function c : mat = chosen(a : mat, b : mat, f : vec, g : mat)
    c = zeros(size(a,0), size(b,1))
    for i = 0..size(a,0)-1
        for j = 0..size(b,1)-1
            if f[i] > 1 && g[i,j] > 0
                s = 0.0
                for k = 0..size(a,1)-1
                    s += a[i,k]*b[k,j]
                endfor
                c[i,j] = s
            endif
        endfor
    endfor
endfunction

function c : mat = shifted(a : mat, b : mat)
    c = zeros(size(a,0), size(b,1))
    for i = 0..size(a,0)-1
        for j = 0..size(b,1)-1
            if i > 0 && j >= 2
                s = 0.0
                for k = 0..size(a,1)-1
                    s += a[i-1,k]*b[k,j-2]
                endfor
                c[i,j] = s
            endif
        endfor
    endfor
endfunction

function c : mat = syrk(a : mat, c0 : mat)
    c = copy(c0)
    for i = 0..size(a,0)-1
        for j = 0..i
            c[i,j] *= 2
        endfor
        for k = 0..size(a,1)-1
            for j = 0..i
                c[i,j] += a[i,k]*a[j,k]
            endfor
        endfor
    endfor
endfunction

% rows behind the last column have nothing to do
function c : mat = above(a : mat, b : mat)
    c = zeros(size(a,0), size(b,1))
    for i = 0..size(a,0)-1
        for j = i..size(b,1)-1
            s = 0.0
            for k = 0..size(a,1)-1
                s += a[i,k]*b[k,j]
            endfor
            c[i,j] = s
        endfor
    endfor
endfunction

% a second result at other places, with more rows than there are columns
function t : mat = turned(a : mat, b : mat, rows : int)
    c = zeros(size(a,0), size(b,1))
    t = zeros(rows, size(b,1))
    for i = 0..size(a,0)-1
        for j = 0..size(b,1)-1
            s = 0.0
            for k = 0..size(a,1)-1
                s += a[i,k]*b[k,j]
            endfor
            c[i,j] = s
            t[j,i] = s + 1
        endfor
    endfor
    t[rows-1,0] += sum(c)
endfunction

% only some planes have a number of terms that is one
function c : cube = padded(a : cube, b : mat, count : ivec)
    c = zeros(size(a,0), size(a,1), size(b,1))
    for p = 0..size(a,0)-1
        for i = 0..size(a,1)-1
            for j = 0..size(b,1)-1
                if count[p] < 100
                    s = 0.0
                    for k = 0..count[p]-1
                        s += a[p,i,k]*b[k,j]
                    endfor
                    c[p,i,j] = s
                endif
            endfor
        endfor
    endfor
endfunction

function x : mat = numbers(m : int, n : int)
    x = zeros(m, n)
    for i = 0..m-1
        for j = 0..n-1
            x[i,j] = mod(3*i + 5*j + i*j, 7) - 3
        endfor
    endfor
endfunction

function [] = show(c : mat)
    t = 0.0
    for i = 0..size(c,0)-1
        for j = 0..size(c,1)-1
            t += c[i,j]*(mod(i,5)+1)*(mod(j,3)+1)
        endfor
    endfor
    print sum(c), " ", t, " ", c[size(c,0)-1, 0], " ", c[0, size(c,1)-1]
endfunction

function [] = main()
    for n = [3, 8, 16, 33, 64, 77]
        for q = [5, 32, 50]
            a = numbers(n, q)
            b = numbers(q, n)
            show(upper(b))
            show(strictly_lower(a, b))
            show(band(a, b, 2))
            show(band(a, b, 40))
            show(chosen(a, b, a[:,1], numbers(n, n)))
            show(shifted(a, b))
            show(syrk(a, numbers(n, n)))
            show(strictly_lower(a, numbers(q, 20)))
            show(above(a, numbers(q, 20)))
            show(above(numbers(20, q), b))
            show(turned(a, b, n + 40))
            planes = zeros(3, n, q)
            for p = 0..2
                planes[p,:,:] = a + p
            endfor
            sums = padded(planes, b, int([q, 2000000000, 3]))
            show(sums[0,:,:])
            show(sums[1,:,:])
            show(sums[2,:,:])
        endfor
    endfor
endfunction
