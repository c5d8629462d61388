% Channels that a variable selects: lanes read and write one element of each pixel. Loops of few iterations around planes.

function y : mat = one(x : cube, w : vec, c : int)
    [M, N, C] = size(x)
    y = zeros(M, N)
    for m = 0..M-1
        for n = 2..N-3
            s = 0.0
            for k = 0..4
                s += w[k] * x[m,n+k-2,c]
            endfor
            y[m,n] = s
        endfor
    endfor
endfunction

function [] = put(x : cube, p : mat, c : int)
    for m = 0..size(p,0)-1
        for n = 0..size(p,1)-1
            x[m,n,c] = p[m,n] * 2
        endfor
    endfor
endfunction

function [] = put_some(x : cube, p : mat, c : int)
    for m = 0..size(p,0)-1
        for n = 0..size(p,1)-1
            if p[m,n] > 4
                x[m,n,c] += p[m,n]
            endif
        endfor
    endfor
endfunction

function [] = scale(x : cube, c : int, by : scalar)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            x[m,n,c] *= by
        endfor
    endfor
endfunction

function y : mat = mirrored(x : cube'mirror, c : int)
    y = zeros(size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = x[m,n-3,c] + 2*x[m-1,n,c] + x[m,n+2,c]
        endfor
    endfor
endfunction

function y : mat = bytes_of(x : cube[uint8], c : int)
    y = zeros(size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-2
            y[m,n] = x[m,n,c] + x[m,n+1,c]
        endfor
    endfor
endfunction

function y : cube = planes(x : cube, w : vec)
    y = zeros(size(x,0), size(x,1), size(x,2))
    for c = 0..size(x,2)-1
        p = one(x, w, c)
        y[:,:,c] = p - max(p)
    endfor
endfunction

function y : vec = means(x : cube)
    [M, N, C] = size(x)
    y = zeros(C)
    for c = 0..C-1
        s = 0.0
        for m = 0..M-1
            for n = 0..N-1
                s += x[m,n,c]
            endfor
        endfor
        y[c] = s / (M * N)
    endfor
endfunction

function y : mat = moments(x : cube)
    [M, N, C] = size(x)
    y = zeros(C, C)
    for a = 0..C-1
        for b = 0..C-1
            s = 0.0
            for m = 0..M-1
                for n = 0..N-1
                    s += x[m,n,a] * x[m,n,b]
                endfor
            endfor
            y[a,b] = s
        endfor
    endfor
endfunction

function y : cube = centred(x : cube)
    y = zeros(size(x,0), size(x,1), size(x,2))
    for c = 0..size(x,2)-1
        p = x[:,:,c]
        y[:,:,c] = p - mean(p)
    endfor
endfunction

function x : cube = image(M : int, N : int, C : int)
    x = zeros(M, N, C)
    for m = 0..M-1
        for n = 0..N-1
            for c = 0..C-1
                x[m,n,c] = mod(m*7 + n*3 + c*5 + m*n, 16)
            endfor
        endfor
    endfor
endfunction

function [] = show(C : int)
    x = image(5, 75, C)
    w = [1.0,2,3,2,1]
    c = C - 1
    y = one(x, w, c)
    print C, ": ", sum(y), " ", y[3,70], " ", y[4,2]
    put(x, y, c)
    print sum(x), " ", x[2,40,c], " ", x[2,40,0]
    put_some(x, y, 0)
    scale(x, c, 0.5)
    print sum(x), " ", x[3,41,c], " ", x[3,41,0]
    r = mirrored(x, c)
    print sum(r), " ", r[0,0], " ", r[4,74], " ", r[2,30]
    b = bytes_of(uint8(mod(floor(x), 200)), c)
    print sum(b), " ", b[4,73]
    q = planes(x, w)
    print q[1,20,0], " ", q[3,20,c]
endfunction

function [] = main()
    for C = 1..5
        show(C)
    endfor
    show(20)
    % Large planes, whose sums are exact.
    x = image(640, 512, 3)
    v = means(x)
    print v[0], " ", v[1], " ", v[2]
    z = moments(x[0..255,0..255,:])
    print z[0,0], " ", z[1,2], " ", z[2,1]
    t = centred(x)
    print t[0,0,0], " ", t[9,100,1], " ", t[639,511,2]
endfunction
