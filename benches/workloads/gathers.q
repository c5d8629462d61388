% an image through a field of offsets
function y : mat = warp(x : mat'clamped, u : mat, v : mat)
    y = uninit(size(u))
    for m = 0..size(u,0)-1
        for n = 0..size(u,1)-1
            p = m + v[m,n]
            q = n + u[m,n]
            i = int(floor(p))
            j = int(floor(q))
            a = p - i
            b = q - j
            y[m,n] = (1-a)*((1-b)*x[i,j] + b*x[i,j+1]) + a*((1-b)*x[i+1,j] + b*x[i+1,j+1])
        endfor
    endfor
endfunction

% a matrix of few elements in each row, by a vector
function y : vec = sparse(a : mat, columns : imat, x : vec'safe)
    y = zeros(size(a,0))
    for i = 0..size(a,0)-1
        for k = 0..size(a,1)-1
            y[i] += a[i,k]*x[columns[i,k]]
        endfor
    endfor
endfunction

% a table
function y : mat = through_table(x : mat, t : vec'clamped)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = t[int(x[m,n])]
        endfor
    endfor
endfunction

% how often a number is halved or taken three times
function y : ivec = collatz(n : int)
    y = uninit[int](n)
    for i = 0..n-1
        k = i + 1
        c = 0
        while k != 1 && c < 300
            if mod(k, 2) == 0
                k = int(k/2)
            else
                k = 3*k + 1
            endif
            c += 1
        endwhile
        y[i] = c
    endfor
endfunction

% roots by Newton's steps
function y : mat = roots(x : mat)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            a = x[m,n]
            r = a
            k = 0
            while abs(r*r - a) > 0.001*a && k < 40
                r = 0.5*(r + a/r)
                k += 1
            endwhile
            y[m,n] = r
        endfor
    endfor
endfunction
