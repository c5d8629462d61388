% an element that a loop adds to, where the other array may be the same one
function [] = add(y : mat, a : mat, r : int)
    for p = 0..size(y,1)-1
        for k = 0..size(a,0)-1
            y[r,p] += a[k,p]
        endfor
    endfor
endfunction
function [] = two(y : mat, a : mat)
    add(y, a, 3)
endfunction
function x : mat = ramp(M : int, N : int)
    x = zeros(M, N)
    for m = 0..M-1
        for n = 0..N-1
            x[m,n] = mod(7*m + 5*n + m*n, 16) - 4
        endfor
    endfor
endfunction
function [] = main()
    for N = [5, 70, 300]
        y = ramp(7, N)
        two(y, y)
        print sum(y), " ", y[3,N-1]
        z = ramp(7, N)
        two(z, ramp(7, N))
        print sum(z), " ", z[3,N-1]
        c = cell(2)
        c[0] = ramp(7, N)
        c[1] = c[0]
        add(c[0], c[1], 2)
        print sum(c[0]), " ", sum(c[1])
    endfor
endfunction
