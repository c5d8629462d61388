% Neighbours at the boundary that programs choose: by `mod` with the extent added, and by conditions. They are boundary modes where the
% choice is the same for all positions, and stay as they are where it is not.
function y : imat = by_mode(x : imat'circular)
    [M, N] = size(x)
    y = imat(M, N)
    for m = 0..M-1
        for n = 0..N-1
            y[m,n] = x[m-1,n] + 10*x[m+1,n] + 100*x[m,n-1] + 1000*x[m,n+1]
        endfor
    endfor
endfunction

function y : imat = by_mod(x : imat)
    [M, N] = size(x)
    y = imat(M, N)
    for m = 0..M-1
        up = mod(m-1+M, M)
        for n = 0..N-1
            y[m,n] = x[up,n] + 10*x[mod(m+1, M),n] + 100*x[m,mod(N+n-1, N)] + 1000*x[m,mod(n+1+N, N)]
        endfor
    endfor
endfunction

function y : imat = by_conditions(x : imat)
    [M, N] = size(x)
    y = imat(M, N)
    for m = 0..M-1
        for n = 0..N-1
            up = m == 0 ? M-1 : m-1
            down = m < M-1 ? m+1 : 0
            left = n-1 < 0 ? N-1 : n-1
            right = n+1 >= N ? 0 : n+1
            y[m,n] = x[up,n] + 10*x[down,n] + 100*x[m,left] + 1000*x[m,right]
        endfor
    endfor
endfunction

function y : imat = clamped_mode(x : imat'clamped)
    [M, N] = size(x)
    y = imat(M, N)
    for m = 0..M-1
        for n = 0..N-1
            y[m,n] = x[m-1,n] + 10*x[m+1,n] + 100*x[m,n-1] + 1000*x[m,n+1]
        endfor
    endfor
endfunction

function y : imat = clamped(x : imat)
    [M, N] = size(x)
    y = imat(M, N)
    for m = 0..M-1
        up = m > 0 ? m-1 : 0
        for n = 0..N-1
            y[m,n] = x[up,n] + 10*x[m == M-1 ? m : m+1,n] + 100*x[m,n >= 1 ? n-1 : 0] + 1000*x[m,n+1 == N ? N-1 : n+1]
        endfor
    endfor
endfunction

% Other ends: these are no modes.
function y : imat = mirrored(x : imat)
    [M, N] = size(x)
    y = imat(M, N)
    for m = 0..M-1
        for n = 0..N-1
            y[m,n] = x[m == 0 ? 1 : m-1,n] + 10*x[m == M-1 ? M-2 : m+1,n] + 100*x[m,n == 0 ? N-2 : n-1] + 1000*x[m,n < 2 ? 0 : n-2]
        endfor
    endfor
endfunction

% A step of the game of life, on a torus.
function y : imat = life(x : imat, steps : int)
    [M, N] = size(x)
    a = copy(x)
    y = copy(x)
    for t = 1..steps
        for m = 0..M-1
            for n = 0..N-1
                s = 0
                for i = -1..1
                    for j = -1..1
                        if i != 0 || j != 0
                            s += a[mod(m+i+M, M), mod(n+j+N, N)]
                        endif
                    endfor
                endfor
                y[m,n] = s == 3 || (s == 2 && a[m,n] == 1) ? 1 : 0
            endfor
        endfor
        b = a
        a = y
        y = b
    endfor
    y = a
endfunction

% The array that is read is the one that is stored: rows before are read, at their ends by the nearest element.
function y : imat = seams(x : imat)
    y = copy(x)
    for m = 1..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = x[m,n] + min(y[m-1,max(n-1,0)], min(y[m-1,n], y[m-1,min(n+1,size(x,1)-1)]))
        endfor
    endfor
endfunction

function [] = main()
    for k = 0..4
        M = [1, 2, 3, 7, 40]
        N = [1, 5, 2, 33, 50]
        x = int(mod(repmat(transpose(0..M[k]-1), [1,N[k]])*7 + repmat(0..N[k]-1, [M[k],1])*3, 10))
        wrapped = by_mode(x)
        print sum(abs(wrapped - by_mod(x))), " ", sum(abs(wrapped - by_conditions(x))), " ", sum(abs(clamped_mode(x) - clamped(x)))
        print sum(wrapped), " ", sum(clamped(x)), " ", sum(seams(x))
        if M[k] > 1 && N[k] > 1
            print sum(mirrored(x))
        endif
        z = int(mod(repmat(transpose(0..M[k]-1), [1,N[k]])*7 + repmat(0..N[k]-1, [M[k],1])*5, 3) == 0)
        print sum(life(z, 1)), " ", sum(life(z, 2)), " ", sum(life(z, 5))
    endfor
endfunction
