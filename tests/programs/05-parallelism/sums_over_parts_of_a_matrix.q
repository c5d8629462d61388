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
        endfor
    endfor
endfunction
