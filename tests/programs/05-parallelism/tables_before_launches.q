% Values that depend on one component of the position, or on a loop, are computed once before a launch. Where one would fail, the
% launch fails where it stands.

function w : scalar = __device__ weight(t : scalar)
    s = abs(t)
    if s <= 1
        w = (1.25*s - 2.25)*s*s + 1
    elseif s < 2
        w = ((-0.75*s + 3.75)*s - 6)*s + 3
    else
        w = 0.0
    endif
endfunction

% Weights and places for each column and each row.
function y : mat = resized(x : mat'clamped, rows : int, cols : int)
    y = uninit(rows, cols)
    sy = size(x,0)/rows
    sx = size(x,1)/cols
    for m = 0..rows-1
        for n = 0..cols-1
            v = (m+0.5)*sy - 0.5
            u = (n+0.5)*sx - 0.5
            i = int(floor(v))
            j = int(floor(u))
            s = 0.0
            for dy = -1..2
                t = 0.0
                for dx = -1..2
                    t += weight(u - (j+dx))*x[i+dy,j+dx]
                endfor
                s += weight(v - (i+dy))*t
            endfor
            y[m,n] = s
        endfor
    endfor
endfunction

% Three channels: the last component has few values.
function y : cube = channels(x : cube'clamped, rows : int, cols : int)
    y = uninit(rows, cols, 3)
    sx = size(x,1)/cols
    for m = 0..rows-1
        for n = 0..cols-1
            for c = 0..2
                u = (n+0.5)*sx - 0.5
                j = int(floor(u))
                b = u - j
                y[m,n,c] = (1-b)*x[m,j,c] + b*x[m,j+1,c]
            endfor
        endfor
    endfor
endfunction

% Cosines of columns and of an inner loop.
function y : mat = cosines(x : mat)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for k = 0..size(x,1)-1
            s = 0.0
            for n = 0..size(x,1)-1
                s += x[m,n]*cos(pi*(2*n+1)*k/(2*size(x,1)))
            endfor
            y[m,k] = s
        endfor
    endfor
endfunction

% A loop that is a value of the column, a branch, and the interior of an array.
function y : mat = interior(x : mat, r : int)
    y = zeros(size(x))
    for m = 1..size(x,0)-2
        for n = 1..size(x,1)-2
            norm = 0.0
            for k = -r..r
                norm += exp(-(k*k)/(2.0*r)) * (n+k)/8
            endfor
            if x[m,n] > 8
                g = sqrt(norm)
            else
                g = norm + exp(-m/16)
            endif
            y[m,n] = (x[m-1,n] + x[m+1,n])*g
        endfor
    endfor
endfunction

% A result, and an array that the kernel reads.
function s : scalar = weighed(x : mat, window : vec)
    s = 0.0
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s += x[m,n]*(window[mod(n,numel(window))]/(1 + mod(n,4)))
        endfor
    endfor
endfunction

% Conversions fail for large factors, which the launch says of the first position.
function y : mat = far(x : mat'circular, f : scalar)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = x[m,int(floor(n*f + 0.5))]
        endfor
    endfor
endfunction

% What is written is not read from a table.
function [] = below(y : mat)
    for m = 1..size(y,0)-1
        for n = 0..size(y,1)-1
            y[m,n] = y[m,n] + sqrt(y[0,n])/2
        endfor
    endfor
endfunction

function [] = show(y : mat)
    print y[0,0], " ", y[1,2] + 0, " ", y[size(y,0)-1,size(y,1)-1], " ", sum(y)
endfunction

function [] = main()
    x = zeros(64, 80)
    for m = 0..63
        for n = 0..79
            x[m,n] = mod(m*7 + n*3, 16)
        endfor
    endfor
    show(round(resized(x, 96, 100)*16))
    show(round(resized(x, 3, 3)*16))
    z = zeros(64, 80, 3)
    for m = 0..63
        for n = 0..79
            for c = 0..2
                z[m,n,c] = mod(m + n*5 + c*2, 32)
            endfor
        endfor
    endfor
    y = channels(z, 64, 160)
    print y[0,0,0], " ", y[1,3,2], " ", y[63,159,1], " ", sum(y)
    show(round(cosines(x)*4))
    show(round(interior(x, 3)*4))
    show(round(interior(x, 1)*4))
    print round(weighed(x, [1.0,2,4,8,16,32]))
    show(far(x, 1))
    show(far(x, 2.5))
    v = ones(64, 80)
    for n = 0..79
        v[0,n] = mod(n,8)^2
    endfor
    below(v)
    show(v)
    try
        show(far(x, 1e9))
    catch e
        print "failed"
    endtry
endfunction
