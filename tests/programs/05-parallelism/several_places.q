% Loops that write several places of one array for each position: quarters, halves, neighbours, planes, places that meet. Numbers are
% small integers, so that sums are exact.

function x : mat = numbers(M : int, N : int)
    x = uninit(M, N)
    for m = 0..M-1
        for n = 0..N-1
            x[m,n] = mod(7*m + 3*n + m*n, 11) - 5
        endfor
    endfor
endfunction

% one number that changes when any element moves
function s : scalar = digest(x : mat)
    s = 0.0
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s += x[m,n]*(mod(5*m + n, 13) + 1)
        endfor
    endfor
endfunction

function y : mat = quarters(x : mat)
    y = zeros(size(x))
    h = int(size(x,0)/2)
    w = int(size(x,1)/2)
    for m = 0..h-1
        for n = 0..w-1
            a = x[2*m,2*n]
            b = x[2*m,2*n+1]
            c = x[2*m+1,2*n]
            d = x[2*m+1,2*n+1]
            y[m,n] = a+b+c+d
            y[m,n+w] = a-b+c-d
            y[m+h,n] = a+b-c-d
            y[m+h,n+w] = a-b-c+d
        endfor
    endfor
endfunction

function x : mat = together(y : mat)
    x = zeros(size(y))
    h = int(size(y,0)/2)
    w = int(size(y,1)/2)
    for m = 0..h-1
        for n = 0..w-1
            x[2*m,2*n] = y[m,n] + y[m,n+w]
            x[2*m+1,2*n] = y[m+h,n]
            x[2*m,2*n+1] = y[m,n] - y[m,n+w]
            x[2*m+1,2*n+1] = y[m+h,n+w]
        endfor
    endfor
endfunction

% only every third column, and a branch
function y : mat = thirds(x : mat)
    y = ones(size(x,0), 3*size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,3*n+1] = x[m,n]
            if x[m,n] > 0
                y[m,3*n] = 2*x[m,n]
            endif
        endfor
    endfor
endfunction

% one element in front of an array, and one behind it
function y : mat = around(x : mat, y : mat'safe)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[2*m-1,n-1] = x[m,n]
            y[2*m,n+1] = -x[m,n]
        endfor
    endfor
endfunction

function y : cube = planes(x : mat)
    y = zeros(3, size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[0,m,n] = x[m,n]
            y[2,m,n] = x[m,n]*x[m,n]
            y[1,m,n] = 2*x[m,n] + 1
        endfor
    endfor
endfunction

% blocks of 4x4, a loop over their elements
function y : mat = blocks(x : mat)
    y = zeros(size(x))
    for m = 0..int(size(x,0)/4)-1
        for n = 0..int(size(x,1)/4)-1
            s = 0.0
            for i = 0..3
                for j = 0..3
                    s += x[4*m+i,4*n+j]
                    y[4*m+i,4*n+j] = s
                endfor
            endfor
        endfor
    endfor
endfunction

function y : vec = line(n : int)
    y = zeros(3*n)
    for i = 0..n-1
        y[2*i] = i
        y[2*i+1] = -i
        y[i+2*n] += 2*i
    endfor
endfunction

% rows that meet: each element is written once, but neighbouring rows belong to several positions
function y : mat = meeting(x : mat, d : int)
    y = zeros(size(x,0)+d, 2*size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,2*n] = x[m,n]
            y[m+d,2*n+1] = 10*x[m,n]
        endfor
    endfor
endfunction

function [] = __kernel__ corners(x : mat, y : mat, h : int, w : int, pos : ivec2)
    y[pos[0], pos[1]+w] = x[pos[0], pos[1]]
    y[pos[0]+h, pos[1]] = x[pos[0], pos[1]] + 1
endfunction

function [] = main()
    for N = [2, 17, 64, 66, 131]
        x = numbers(N, N+6)
        y = quarters(x)
        print "quarters ", N, " ", digest(y), " ", digest(together(y))
        print "thirds ", digest(thirds(x)), " blocks ", digest(blocks(x))
        print "around ", digest(around(x, zeros(2*N, N+5)))
        p = planes(x)
        print "planes ", digest(p[0,:,:]), " ", digest(p[1,:,:]), " ", digest(p[2,:,:])
        print "meeting ", digest(meeting(x, 1)), " ", digest(meeting(x, 3)), " ", digest(meeting(x, 200))
        z = zeros(2*N, 2*N+12)
        parallel_do(size(x), x, z, N, N+6, corners)
        print "corners ", digest(z)
    endfor
    print sum(line(1000)), " ", line(3)
    x = numbers(300, 256)
    print digest(quarters(x)), " ", digest(together(x)), " ", digest(meeting(x, 5)), " ", digest(thirds(x))
endfunction
