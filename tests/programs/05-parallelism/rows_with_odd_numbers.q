% Rows of positions whose indices are computed from numbers: most numbers are ordinary, some are not, and some are errors.

function y : mat = gathered(x : mat'clamped, u : mat)
    y = uninit(size(u))
    for m = 0..size(u,0)-1
        for n = 0..size(u,1)-1
            k = int(u[m,n])
            y[m,n] = x[m, k] + 2*x[k, n]
        endfor
    endfor
endfunction

function y : mat = looked_up(t : vec, u : mat)
    y = uninit(size(u))
    for m = 0..size(u,0)-1
        for n = 0..size(u,1)-1
            y[m,n] = t[int(floor(u[m,n]))] - t[0]
        endfor
    endfor
endfunction

function y : mat = chosen(t : vec, u : mat)
    y = zeros(size(u))
    for m = 0..size(u,0)-1
        for n = 0..size(u,1)-1
            if u[m,n] >= 0
                y[m,n] = t[int(u[m,n])]
            endif
        endfor
    endfor
endfunction

function [] = tried(t : vec, u : mat)
    try
        print sum(looked_up(t, u))
    catch
        print "an error"
    endtry
endfunction

function [] = main()
    x = uninit(9, 300)
    u = uninit(9, 300)
    for m = 0..8
        for n = 0..299
            x[m,n] = mod(5*m + 3*n, 17)
            u[m,n] = mod(7*m + n*n, 23) - 4 + 0.25
        endfor
    endfor
    t = uninit(40)
    for k = 0..39
        t[k] = k*k + 1
    endfor
    print sum(gathered(x, u)), " ", sum(looked_up(t, abs(u))), " ", sum(chosen(t, u))
    u[4,150] = 0/0
    print sum(gathered(x, u))
    u[4,150] = 2.0e9
    u[5,1] = -2.0e9
    print sum(gathered(x, u))
    u[4,150] = 3.0e9
    try
        print sum(gathered(x, u))
    catch
        print "an error"
    endtry
    v = abs(u)
    v[4,150] = 1
    v[5,1] = 39.5
    tried(t, v)
    v[5,1] = 40
    tried(t, v)
    v[5,1] = -0.5
    tried(t, v)
    print size(gathered(zeros(0,0), u[0..1,0..3])), " ", sum(gathered(zeros(0,0), u[0..1,0..3]))
endfunction
