% Iterations that make arrays of unknown size: slices, sorts, medians, scans, masks, tables, matrices.
function y : vec = numbers(n : int)
    y = vec(n)
    for i = 0..n-1
        y[i] = mod(i*7919, 101)
    endfor
endfunction

function y : mat = table(m : int, n : int)
    y = mat(m, n)
    for i = 0..m-1
        for j = 0..n-1
            y[i,j] = mod(i*619 + j*353, 31)
        endfor
    endfor
endfunction

function y : vec = medians(x : vec, r : int)
    y = zeros(numel(x))
    for n = r..numel(x)-1-r
        y[n] = median(x[n-r..n+r])
    endfor
endfunction

function y : vec = quantiles(x : vec, r : int)
    N = numel(x)
    y = zeros(N)
    for n = 0..N-1
        s = sort(x[max(0,n-r)..min(N-1,n+r)])
        y[n] = s[int(floor(3*(numel(s)-1)/4))] - s[0]
    endfor
endfunction

function y : mat = windows(x : mat, r : int)
    y = zeros(size(x))
    for m = r..size(x,0)-1-r
        for n = r..size(x,1)-1-r
            w = x[m-r..m+r, n-r..n+r]
            t = reshape(w, [numel(w)])
            t[0] = 0
            y[m,n] = median(t) + w[0,0]
        endfor
    endfor
endfunction

function y : vec = deviations(x : mat)
    y = zeros(size(x,0))
    for m = 0..size(x,0)-1
        v = x[m,:]
        y[m] = median(abs(v - median(v)))
    endfor
endfunction

function y : mat = scans(x : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        y[m,:] = cumsum(x[m,:]) - cummax(x[m,:])
    endfor
endfunction

function y : vec = entropies(x : mat, K : int)
    y = zeros(size(x,0))
    for m = 0..size(x,0)-1
        h = zeros(K)
        for n = 0..size(x,1)-1
            h[mod(int(x[m,n]), K)] += 1
        endfor
        s = 0.0
        for k = 0..K-1
            s += h[k]*h[k]
        endfor
        y[m] = s
    endfor
endfunction

function y : mat = warps(x : mat)
    M = size(x,0)
    n = size(x,1)
    y = zeros(M, M)
    for a = 0..M-1
        for b = 0..M-1
            D = 1000000*ones(n+1, n+1)
            D[0,0] = 0
            for i = 1..n
                for j = 1..n
                    c = abs(x[a,i-1] - x[b,j-1])
                    D[i,j] = c + min(min(D[i-1,j], D[i,j-1]), D[i-1,j-1])
                endfor
            endfor
            y[a,b] = D[n,n]
        endfor
    endfor
endfunction

function y : mat = solutions(A : cube, b : mat)
    y = zeros(size(b))
    n = size(A,1)
    for k = 0..size(A,0)-1
        M = zeros(n,n)
        v = zeros(n)
        for i = 0..n-1
            for j = 0..n-1
                M[i,j] = A[k,i,j]
            endfor
            v[i] = b[k,i]
        endfor
        for i = 0..n-1
            for j = i+1..n-1
                f = M[j,i]/M[i,i]
                for q = i..n-1
                    M[j,q] -= f*M[i,q]
                endfor
                v[j] -= f*v[i]
            endfor
        endfor
        for t = 0..n-1
            i = n-1-t
            s = v[i]
            for j = i+1..n-1
                s -= M[i,j]*y[k,j]
            endfor
            y[k,i] = s/M[i,i]
        endfor
    endfor
endfunction

function y : vec = masked(x : mat, t : scalar)
    y = zeros(size(x,0))
    for m = 0..size(x,0)-1
        v = x[m,:]
        w = v[v > t]
        y[m] = numel(w) + sum(w) + (numel(w) > 0 ? w[numel(w)-1] : 0)
    endfor
endfunction

% Two names for an array of an iteration, and one that another replaces.
function y : vec = names(x : mat)
    y = zeros(size(x,0))
    n = size(x,1)
    for m = 0..size(x,0)-1
        a = zeros(n)
        b = a
        for k = 0..n-1
            b[k] = x[m,k]
            if mod(k, 5) == 4
                a = zeros(n)
            endif
        endfor
        c = mod(m, 2) == 0 ? a : b
        c[0] = 3
        y[m] = sum(a) + 2*sum(b)
    endfor
endfunction

% Slices of the array that is written.
function y : vec = itself(x : vec, r : int)
    y = copy(x)
    for n = r..numel(x)-1-r
        w = y[n-r..n+r]
        y[n] = max(w)
    endfor
endfunction

% What an iteration before has left.
function y : vec = carried(x : mat)
    y = zeros(size(x,0))
    w = zeros(size(x,1))
    for m = 0..size(x,0)-1
        y[m] = sum(w)
        w = sort(x[m,:])
    endfor
    y[0] = w[0]
endfunction

function n : int = outside(x : vec, r : int)
    y = zeros(numel(x))
    n = 0
    try
        for i = 0..numel(x)-1
            w = sort(x[i..i+r])
            y[i] = w[0]
        endfor
    catch e
        n = 1
    endtry
endfunction

function n : int = sizes(x : vec, r : int)
    y = zeros(numel(x))
    n = 0
    try
        for i = 0..numel(x)-1
            w = zeros(r - i)
            for k = 0..r-i-1
                w[k] = x[k]
            endfor
            y[i] = median(w)
        endfor
    catch e
        n = 1
    endtry
endfunction

function [] = main()
    x = numbers(200)
    z = table(80, 70)
    print sum(medians(x, 3)), " ", sum(medians(x, 40)), " ", sum(quantiles(x, 5))
    print sum(windows(z, 2))
    print sum(deviations(z)), " ", sum(scans(z)), " ", sum(entropies(z, 33))
    print sum(warps(z[0..11,:]))
    A = zeros(90, 6, 6)
    for k = 0..89
        for i = 0..5
            for j = 0..5
                A[k,i,j] = i == j ? 4 : mod(i*3 + j + k, 5)/64
            endfor
        endfor
    endfor
    s = solutions(A, table(90, 6))
    print int(round(10*sum(s)))
    print sum(masked(z, 12)), " ", sum(masked(z, 1000)), " ", sum(names(z)), " ", sum(itself(x, 3)), " ", sum(carried(z))
    print outside(x, 3), " ", sizes(x, 300), " ", sizes(x, 100)
endfunction
