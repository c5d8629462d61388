% Rows of two names for one array: a slice is read as a whole before one is written.
function [] = shift(x : mat, y : mat)
    n = size(x,1)
    for i = 0..size(x,0)-1
        y[i,1..n-1] = x[i,0..n-2]
    endfor
endfunction
function [] = kept(x : mat, y : mat, z : mat)
    for i = 0..size(x,0)-1
        t = x[i,:]
        y[i,:] = x[i,:] * 2
        z[i,:] = t
    endfor
endfunction
function [] = main()
    a = [[1.0,2,3,4],[5,6,7,8]]
    shift(a, a)
    print a
    b = [[1.0,2,3,4],[5,6,7,8]]
    z = zeros(2,4)
    kept(b, b, z)
    print b, z
    c = zeros(2,4)
    shift(b, c)
    print c
endfunction
