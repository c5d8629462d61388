% loops that write a row of an array and read other rows of it: neighbouring elements go together
function [] = seam(c : mat)
    for m = 1..size(c,0)-1
        for n = 1..size(c,1)-2
            c[m,n] += min(c[m-1,n], min(c[m-1,n-1], c[m-1,n+1]))
        endfor
    endfor
endfunction

% at the border through the mode of the array
function [] = seam_over_the_border(c : mat'mirror)
    for m = 1..size(c,0)-1
        for n = 0..size(c,1)-1
            c[m,n] += min(c[m-1,n], min(c[m-1,n-1], c[m-1,n+1]))
        endfor
    endfor
endfunction

% a lane that stores nothing leaves its element to the other statement
function [] = by_halves(c : mat)
    for m = 1..size(c,0)-1
        for n = 1..size(c,1)-2
            if c[m-1,n-1] > c[m-1,n+1]
                c[m,n] = c[m-1,n-1]
            else
                c[m,n] -= 0.5*c[m-1,n]
            endif
        endfor
    endfor
endfunction

function [] = only_some(c : imat)
    for m = 1..size(c,0)-1
        for n = 0..size(c,1)-1
            if mod(c[m-1,n], 3) == 0
                c[m,n] = c[m-1,n] + c[m,n]*2
            endif
        endfor
    endfor
endfunction

% two places of each position, and both are read
function [] = butterflies(x : mat, half : int)
    for m = 0..size(x,0)-1
        for n = 0..half-1
            a = x[m,n]
            b = x[m,n+half]
            x[m,n] = a + b
            x[m,n+half] = a - b
        endfor
    endfor
endfunction

function [] = steps(x : vec[int], by : int)
    for n = 0..numel(x)-by-1
        x[n] = x[n] + 1
    endfor
    for k = 0..by..numel(x)-2*by
        for n = k..k+by-1
            x[n+by] = x[n+by] + x[n]
        endfor
    endfor
endfunction

function [] = bytes(c : mat[uint8])
    for m = 1..size(c,0)-1
        for n = 1..size(c,1)-1
            c[m,n] = max(c[m,n], c[m-1,n-1])
        endfor
    endfor
endfunction

function [] = planes(c : cube)
    for k = 1..size(c,2)-1
        for m = 0..size(c,0)-1
            for n = 1..size(c,1)-1
                c[m,n,k] += 0.5*c[m,n-1,k-1]
            endfor
        endfor
    endfor
endfunction

% the element that a loop adds to stays, and what it reads of the array is another row
function [] = lower(a : mat, y : mat)
    M = size(y,0)
    for i = 0..M-1
        for j = 0..size(y,1)-1
            for k = i+1..M-1
                y[i,j] += a[k,i]*y[k,j]
            endfor
            y[i,j] *= 0.25
        endfor
    endfor
endfunction

% the last iteration reads what the sum has become
function [] = to_itself(y : mat)
    M = size(y,0)
    for i = 0..M-1
        for j = 0..size(y,1)-1
            for k = 0..i
                y[i,j] += 0.125*y[k,j]
            endfor
        endfor
    endfor
endfunction

function [] = orthogonal(q : mat)
    for k = 0..size(q,1)-2
        for j = k+1..size(q,1)-1
            t = 0.0
            for i = 0..size(q,0)-1
                t += q[i,k]*q[i,j]
            endfor
            for i = 0..size(q,0)-1
                q[i,j] -= 0.01*t*q[i,k]
            endfor
        endfor
    endfor
endfunction

function [] = __kernel__ from_above(c : mat'unchecked, m : int, pos : int)
    c[m,pos] = 0.5*(c[m,pos] + c[m-1,pos+1])
endfunction

function x : mat = ramp(M : int, N : int)
    x = zeros(M, N)
    for m = 0..M-1
        for n = 0..N-1
            x[m,n] = mod(7*m*m + 5*n + m*n, 16) - 4
        endfor
    endfor
endfunction

function x : imat = whole(M : int, N : int)
    x = imat(M, N)
    for m = 0..M-1
        for n = 0..N-1
            x[m,n] = mod(5*m*m + 3*n + m*n, 11)
        endfor
    endfor
endfunction

function [] = show(c : mat)
    s = 0
    for m = 0..size(c,0)-1
        for n = 0..size(c,1)-1
            s += mod(int(floor(8*c[m,n])), 97)*(mod(m + 3*n, 5) + 1)
        endfor
    endfor
    print s, " ", floor(8*c[size(c,0)-1, size(c,1)-2])
endfunction

function [] = main()
    for N = [5, 40, 131, 2100]
        c = ramp(9, N)
        seam(c)
        show(c)
        c = ramp(9, N)
        seam_over_the_border(c)
        show(c)
        c = ramp(7, N)
        by_halves(c)
        show(c)
        d = whole(9, N)
        only_some(d)
        print sum(d), " ", d[8,N-1]
        half = int(N/2)
        c = ramp(5, N)
        butterflies(c, half)
        show(c)
        x = ivec(4*N)
        steps(x, N)
        print sum(x), " ", x[4*N-1]
        b = uint8(abs(ramp(12, N)))
        bytes(b)
        print sum(int(b)), " ", b[11,N-1]
        q = reshape(ramp(6*N, 4), [6, N, 4])
        planes(q)
        print sum(q), " ", q[5,N-1,3]
        y = ramp(4, N)
        lower(0.125*ramp(4, 4), y)
        show(y)
        y = ramp(6, N)
        to_itself(y)
        show(y)
    endfor
    for N = [6, 33, 150]
        q = 0.0625*ramp(20, N)
        orthogonal(q)
        print round(100*sum(abs(q)))
    endfor
    c = ramp(4, 3001)
    for m = 1..3
        parallel_do(3000, c, m, from_above)
    endfor
    show(c)
endfunction
