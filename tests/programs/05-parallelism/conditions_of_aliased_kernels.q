% Conditions of loops in kernels whose arrays are one at run time: they see what the rounds store.
function [] = __kernel__ k1(x : vec, y : vec, pos : int)
    while x[0] < 10
        y[0] = y[0] + 1
    endwhile
endfunction
function [] = __kernel__ k2(x : vec, y : vec, pos : int)
    while x[pos+1] < 10
        y[pos+1] = y[pos+1] + 1
    endwhile
    y[pos] = x[pos+1]
endfunction
function [] = __kernel__ k3(x : vec, y : vec, pos : int)
    repeat
        y[pos+1] = y[pos+1] + 1
    until x[pos+1] >= 10
endfunction
function [] = go(x : vec, y : vec, n : int)
    parallel_do(n, x, y, k1)
    print x, y
    serial_do(n, x, y, k2)
    print x, y
    serial_do(n, x, y, k3)
    print x, y
endfunction
function [] = host(x : vec, y : vec)
    i = 0
    while x[i] < 5 && i < 3
        y[i] = y[i] + 2
        i += x[i] >= 5
    endwhile
    print x, y, i
endfunction
function [] = main()
    v = zeros(4)
    go(v, v, 1)
    v = zeros(4)
    host(v, v)
    x = [20.0,20,20,20]
    w = zeros(4)
    go(x, w, 2)
    host(x, w)
endfunction
