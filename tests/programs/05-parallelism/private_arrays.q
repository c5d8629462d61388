% Small arrays that each position keeps to itself: rows are computed with variables for their elements.
function y : mat = exchanged(x : mat'mirror)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            w = zeros(9)
            for i = 0..2
                for j = 0..2
                    w[3*i+j] = x[m+i-1,n+j-1]
                endfor
            endfor
            for i = 0..8
                for j = i+1..8
                    if w[j] < w[i]
                        t = w[i]
                        w[i] = w[j]
                        w[j] = t
                    endif
                endfor
            endfor
            y[m,n] = w[4] + 100*w[0] + 10000*w[8]
        endfor
    endfor
endfunction
% The number of rounds differs from position to position.
function y : mat = inserted(x : mat'clamped)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            w = zeros(9)
            k = 0
            for i = -1..1
                for j = -1..1
                    w[k] = x[m+i,n+j]
                    k += 1
                endfor
            endfor
            for i = 1..8
                v = w[i]
                j = i-1
                while j >= 0 && w[j] > v
                    w[j+1] = w[j]
                    j -= 1
                endwhile
                w[j+1] = v
            endfor
            y[m,n] = w[4]
        endfor
    endfor
endfunction
function y : mat = largest3(x : mat'circular)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            top = zeros(3) - 1
            for i = -1..1
                for j = -1..1
                    v = x[m+i,n+j]
                    k = 2
                    while k >= 0 && v > top[k]
                        if k < 2
                            top[k+1] = top[k]
                        endif
                        top[k] = v
                        k -= 1
                    endwhile
                endfor
            endfor
            y[m,n] = top[0] + 100*top[1] + 10000*top[2]
        endfor
    endfor
endfunction
function y : mat = most_frequent(x : imat'mirror)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            h : ivec(8) = int(zeros(8))
            for i = -1..1
                for j = -1..1
                    h[and(x[m+i,n+j], 7)] += 1
                endfor
            endfor
            best = 0
            for k = 1..7
                if h[k] > h[best]
                    best = k
                endif
            endfor
            y[m,n] = 10*best + h[best]
        endfor
    endfor
endfunction
function y : mat = nearest(x : mat, c : vec(5))
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            d = zeros(5)
            for k = 0..4
                d[k] = abs(x[m,n] - c[k])
            endfor
            best = 0
            for k = 1..4
                if d[k] < d[best]
                    best = k
                endif
            endfor
            y[m,n] = 10*d[best] + best
        endfor
    endfor
endfunction
function [] = __kernel__ crossed(x : mat'safe, y : mat, pos : ivec2)
    A = zeros(2,2)
    B = [[1.0,2],[3,4]]
    r = and(pos[0] + pos[1], 1)
    c = r > 0 ? 0 : 1
    A[r,c] = x[pos]
    A[c,1] += 3
    A[1,r] = A[r,c] - A[c,1]
    A = A .* 2 + B
    B = [[A[1,1],A[0,1]],[A[1,0],A[0,0]]]
    B[0,0] = B[0,0] + x[pos[0],pos[1]+1] * 3
    y[pos] = A[0,0] + 10*A[0,1] + 100*A[1,0] + 1000*A[1,1] + 7*B[0,c] - B[r,1]
endfunction
function y : mat = products(x : mat'mirror)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            A = zeros(3,3)
            for i = 0..2
                for j = 0..2
                    A[i,j] = x[m+i-1,n+j-1]
                endfor
            endfor
            v = transpose(A) * [1.0,2,3]
            B = A * A
            y[m,n] = v[0] - v[1] + 10*v[2] + B[0,2] + B[2,0] - B[1,1]
        endfor
    endfor
endfunction
function y : mat = tensor(x : mat'mirror)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            T = zeros(2,2)
            for i = -1..1
                for j = -1..1
                    g = [(x[m+i+1,n+j] - x[m+i-1,n+j])/2, (x[m+i,n+j+1] - x[m+i,n+j-1])/2]
                    for a = 0..1
                        for b = 0..1
                            T[a,b] += g[a]*g[b]
                        endfor
                    endfor
                endfor
            endfor
            y[m,n] = T[0,0]*T[1,1] - T[0,1]*T[1,0]
        endfor
    endfor
endfunction
function y : vec = legendre(x : vec)
    y = uninit(size(x))
    for n = 0..numel(x)-1
        p = zeros(9)
        p[0] = 1
        p[1] = x[n]
        for k = 2..8
            p[k] = (2*k-1)*x[n]*p[k-1] - (k-1)*p[k-2]
        endfor
        s = 0.0
        for k = 0..8
            s += p[k] * (k+1)
        endfor
        y[n] = s
    endfor
endfunction
function y : vec = outside(x : vec, from : int)
    y = zeros(size(x))
    for n = 0..numel(x)-1
        w = zeros(4)
        k = from
        while k < 6
            w[k] = x[n]
            k += 1
        endwhile
        y[n] = w[0]
    endfor
endfunction
function [] = show(y : mat)
    print sum(mod(y, 1000)), " ", y[0,0], " ", y[0,36], " ", y[12,0], " ", y[12,36], " ", y[6,17], " ", sum(mod(y[:,5], 1000))
endfunction
function [] = __kernel__ itself(x : vec, y : vec, pos : int)
    w = [x[pos], 2, 0]
    w[int(w[2])] = 1
    w = w .* sum(w) + [w[2], w[0], w[1]]
    w[and(int(w[1]), 1)] += 5
    y[pos] = w[0] + 100*w[1] + 10000*w[2]
endfunction
function [] = main()
    x = zeros(13,37)
    for m = 0..12
        for n = 0..36
            x[m,n] = mod(7*m*m + 13*n + 5*m*n*n, 31)
        endfor
    endfor
    show(exchanged(x))
    show(inserted(x))
    show(largest3(x))
    show(most_frequent(int(x)))
    show(nearest(x, [3.0,20,4,29,11]))
    y = zeros(size(x))
    parallel_do(size(x), x, y, crossed)
    show(y)
    show(products(x))
    show(tensor(mod(x, 3)))
    print legendre([0.0,1,-1,0.5])
    % Numbers that are none lose each comparison.
    x[3,4] = 0/0
    x[9,30] = 0/0
    z = inserted(x)
    print z[2,3], " ", z[3,4], " ", z[9,29], " ", z[4,5], " ", sum(z[6..7,:])
    z = largest3(x)
    print z[2,3], " ", z[3,4], " ", z[9,29], " ", z[10,31]
    z = nearest(x, [3.0,20,4,29,11])
    print z[3,5], " ", z[9,31]
    try
        print outside([1.0,2,3], 2)
    catch ex
        print "outside"
    endtry
    y = zeros(6)
    parallel_do(6, [0.0,1,2,3,4,5], y, itself)
    print y
endfunction
