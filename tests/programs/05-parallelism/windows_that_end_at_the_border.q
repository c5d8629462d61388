% Windows whose loops end at the border: all columns inside go round equally often, the others as it is written.
function y : mat = sums(x : mat, r : int)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 0.0
            for i = max(0, m-r)..min(size(x,0)-1, m+r)
                for j = max(0, n-r)..min(size(x,1)-1, n+r)
                    s += x[i,j]
                endfor
            endfor
            y[m,n] = s
        endfor
    endfor
endfunction
function y : mat = moments(x : mat, a : int, b : int)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            j0 = max(n-a, 0)
            j1 = min(n+b+1, size(x,1)-1)
            s = 0.0
            for j = j0..j1
                s += j*x[m,j]
            endfor
            y[m,n] = s + (j1-j0+1)
        endfor
    endfor
endfunction
function y : vec = largest(x : vec, r : int)
    N = numel(x)
    y = zeros(N)
    for n = 0..N-1
        s = x[n]
        for j = min(N-1, n+r)..-2..max(0, n-r)
            s = max(s, x[j])
        endfor
        y[n] = s
    endfor
endfunction
function y : vec = weighted(x : vec'safe, w : vec, r : int)
    y = zeros(numel(x))
    for n = 0..numel(x)-1
        s = 0.0
        for j = n-r..n+r
            if j >= 0 && j < numel(x)
                s += w[j-n+r]*x[j]
            endif
        endfor
        t = 0
        for j = 1+n-r..3..n+r-1
            t += j
        endfor
        y[n] = s + t
    endfor
endfunction
function y : ivec = steps(x : vec, r : int)
    y = ivec(numel(x))
    for n = 0..numel(x)-1
        c = 0
        for j = max(0, n-r)..n+r
            c += 1
            if j > n + 2 || j > 90
                break
            endif
        endfor
        y[n] = 100*c + j
    endfor
endfunction
function y : vec = tested(x : vec, r : int)
    y = zeros(numel(x))
    for n = 0..numel(x)-1
        c = 0.0
        for j = max(0, n-r)..min(numel(x)-1, n+r)
            if x[j] > x[n]
                c += x[j]
            endif
        endfor
        y[n] = c
    endfor
endfunction
function y : cube = of_channels(x : cube, r : int)
    y = zeros(size(x,0), size(x,1), size(x,2))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for k = 0..size(x,2)-1
                s = 0.0
                for i = max(0, m-r)..min(size(x,0)-1, m+r)
                    for j = max(0, n-r)..min(size(x,1)-1, n+r)
                        s += x[i,j,k]
                    endfor
                endfor
                y[m,n,k] = s
            endfor
        endfor
    endfor
endfunction
function y : mat = sliced(x : mat, r : int)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            w = x[max(0, m-r)..min(size(x,0)-1, m+r), max(0, n-r)..min(size(x,1)-1, n+r)]
            y[m,n] = sum(w) + numel(w)
        endfor
    endfor
endfunction
function y : vec = from_first(x : vec, r : int)
    y = zeros(numel(x))
    for n = 0..numel(x)-1
        lo = max(0, n-r)
        hi = min(numel(x)-1, n+r)
        s = 0.0
        for t = 0..hi-lo
            s += (t+1)*x[lo+t] + x[min(lo+t+1, numel(x)-1)]
        endfor
        y[n] = s
    endfor
endfunction
function y : vec = counted(x : vec, r : int, k : int)
    y = zeros(numel(x))
    for n = 0..numel(x)-1
        s = 0.0
        for j = max(0, n-r)+k..min(numel(x)-1, n+r)+k
            s += 1
        endfor
        y[n] = s
    endfor
endfunction
function [] = main()
    x = zeros(9, 83)
    v = zeros(101)
    for m = 0..8
        for n = 0..82
            x[m,n] = mod(7*m + 5*n + m*n, 11)
        endfor
    endfor
    for n = 0..100
        v[n] = mod(n*n + 3*n, 17)
    endfor
    for r = [0, 1, 3, 20, 41, 82, 100, 2147483647]
        y = sums(x, r)
        print r, " ", sum(y), " ", y[4,0..3], " ", y[8,79..82], " ", sum(y[:,40]), " ", sum(largest(v, min(r, 1000)))
    endfor
    for r = [0, 1, 5, 30, 60]
        print r, " ", sum(mod(moments(x, r, 2*r), 97)), " ", moments(x, r, 3)[2,78..82], " ", sum(weighted(v, v, min(r, 8))), " ", sum(steps(v, r)), " ", sum(tested(v, r))
    endfor
    z = zeros(6, 70, 3)
    for m = 0..5
        for n = 0..69
            for k = 0..2
                z[m,n,k] = mod(7*m + 3*n + k*n, 11)
            endfor
        endfor
    endfor
    for r = [0, 1, 3, 34, 35, 69, 70, 2147483647]
        y = of_channels(z, r)
        print r, " ", sum(mod(y, 97)), " ", y[3,1,:], " ", y[5,68,:]
        u = min(r, 1000)
        print sum(mod(sliced(x, u), 97)), " ", sum(mod(from_first(v, u), 97)), " ", from_first(v, u)[97..100]
    endfor
    for k = [0, 5, 2147483647, 2147483600, -2147483647, -2147483640]
        print sum(counted(v, 3, k))
    endfor
    print sum(sums(x, -1)), " ", sum(largest(v, -1)), " ", sum(tested(v, 2147483647)), " ", steps(v, 3)[96..100]
endfunction
