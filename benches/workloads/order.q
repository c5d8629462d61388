% how many letters two words differ by
function d : int = levenshtein(a : ivec, b : ivec)
    n = numel(b)
    row = uninit[int](n+1)
    for j = 0..n
        row[j] = j
    endfor
    for i = 0..numel(a)-1
        diagonal = row[0]
        row[0] = i + 1
        for j = 0..n-1
            above = row[j+1]
            change = diagonal + (a[i] == b[j] ? 0 : 1)
            row[j+1] = min(min(above + 1, row[j] + 1), change)
            diagonal = above
        endfor
    endfor
    d = row[n]
endfunction

% the same with the whole table
function d : int = levenshtein_table(a : ivec, b : ivec)
    m = numel(a)
    n = numel(b)
    t = zeros[int](m+1, n+1)
    for i = 0..m
        t[i,0] = i
    endfor
    for j = 0..n
        t[0,j] = j
    endfor
    for i = 1..m
        for j = 1..n
            cost = 1
            if a[i-1] == b[j-1]
                cost = 0
            endif
            t[i,j] = min(min(t[i-1,j] + 1, t[i,j-1] + 1), t[i-1,j-1] + cost)
        endfor
    endfor
    d = t[m,n]
endfunction

% diffusion of errors, by Floyd and Steinberg
function y : mat = dither(x : mat)
    y = copy(x)
    M = size(x,0)
    N = size(x,1)
    for m = 0..M-1
        for n = 0..N-1
            old = y[m,n]
            new = old < 128 ? 0.0 : 255.0
            y[m,n] = new
            e = old - new
            if n+1 < N
                y[m,n+1] += e*7/16
            endif
            if m+1 < M
                if n > 0
                    y[m+1,n-1] += e*3/16
                endif
                y[m+1,n] += e*5/16
                if n+1 < N
                    y[m+1,n+1] += e/16
                endif
            endif
        endfor
    endfor
endfunction

% a triangular system
function x : vec = forward(a : mat, b : vec)
    n = numel(b)
    x = zeros(n)
    for i = 0..n-1
        s = b[i]
        for j = 0..i-1
            s -= a[i,j]*x[j]
        endfor
        x[i] = s/a[i,i]
    endfor
endfunction

% shortest paths between all pairs
function d : mat = paths(w : mat)
    d = copy(w)
    n = size(w,0)
    for k = 0..n-1
        for i = 0..n-1
            for j = 0..n-1
                d[i,j] = min(d[i,j], d[i,k] + d[k,j])
            endfor
        endfor
    endfor
endfunction
