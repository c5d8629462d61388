% Indices that keep to an array by hand are those of boundary modes.
function [] = show(name, y)
    print name, " ", sum(y), " ", y[0,:], " ", y[size(y,0)-1,:]
endfunction
function y : int = __device__ bound(i : int, n : int)
    y = max(0, min(i, n))
endfunction
function y : mat = box(x : mat)
    y = zeros(size(x))
    M = size(x,0)
    N = size(x,1)
    for m = 0..M-1
        for n = 0..N-1
            s = 0.0
            for i = -2..2
                for j = -2..2
                    s += x[max(0, min(m+i, M-1)), min(max(n+j, 0), N-1)]
                endfor
            endfor
            y[m,n] = s
        endfor
    endfor
endfunction
function y : mat = named(x : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            up = max(m-1, 0)
            down = min(m+1, size(x,0)-1)
            s = 0.0
            for k = -1..1
                p = clamp(n+k, size(x,1)-1)
                q = bound(m+k, size(x,0)-1)
                s += x[q,p]
            endfor
            y[m,n] = s + x[up,n] + x[down,n] - 2*x[m,n]
        endfor
    endfor
endfunction
function y : mat = torus(x : mat)
    y = zeros(size(x))
    [M, N] = size(x)
    for m = 0..M-1
        for n = 0..N-1
            y[m,n] = x[mod(m-1,M),n] + x[mod(m+1,M),n] + x[m,mod(n-1,N)] + x[m,periodize(n+1,N)] - 4*x[m,n]
        endfor
    endfor
endfunction
function y : mat = wrapped(x : mat)
    y = zeros(size(x))
    [M, N] = size(x)
    for m = 0..M-1
        for n = 0..N-1
            y[m,n] = x[mod(m+M-1,M),mod(n+1,N)] + x[mirror_ext(m-2,M),mirror_ext(n+2,N)]
        endfor
    endfor
endfunction
function y : mat = inplace(x : mat)
    y = copy(x)
    M = size(y,0)
    {!serial for}
    for m = 0..M-1
        for n = 0..size(y,1)-1
            y[m,n] = y[m,n] - y[max(0,min(m-1,M-1)),n]
        endfor
    endfor
endfunction
function y : mat = gathered(x : mat, f : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            p = int(m + f[m,n])
            y[m,n] = x[max(0, min(p, size(x,0)-1)), n]
        endfor
    endfor
endfunction
function y : mat = shorter(x : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = x[max(0, min(m+2, size(x,0)-2)), min(max(n-2, 1), size(x,1)-1)]
        endfor
    endfor
endfunction
function y : mat = changed(x : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            k = n + 1
            p = max(0, min(k, size(x,1)-1))
            k = 0
            y[m,n] = x[m,p] + k
        endfor
    endfor
endfunction
function y : mat = other(x : mat, z : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = z[max(0, min(m+1, size(x,0)-1)), n]
        endfor
    endfor
endfunction
function [] = main()
    x = zeros(7,6)
    f = zeros(7,6)
    for m = 0..6
        for n = 0..5
            x[m,n] = mod(5*m+3*n*n, 11)
            f[m,n] = mod(m*n,5) - 2
        endfor
    endfor
    show("box", box(x))
    show("named", named(x))
    show("torus", torus(x))
    show("wrapped", wrapped(x))
    show("inplace", inplace(x))
    show("gathered", gathered(x, f))
    show("shorter", shorter(x))
    show("changed", changed(x))
    show("other", other(x, x))
    show("one", box(ones(1,1)))
    show("one", torus(ones(1,2)))
    print size(box(zeros(0,3)))
    try
        other(x, zeros(3,6))
    catch ex
        print "caught"
    endtry
endfunction
