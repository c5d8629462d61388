% Rules that rewrite assignments; what they assign is known to loops and handlers.
function y = chosen(x : mat, a, b, c)
    y = copy(x)
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            if a[i,j] > b[i,j]
                y[i,j] = c + 100
            endif
        endfor
    endfor
endfunction
reduction (x : mat, a, b : mat, c) -> x[a > b] = c = (x = chosen(x, a, b, c))
reduction (x : vec, k, v) -> x[k] += v = (t = x[k]; x[k] = t + 10*v)
reduction (n : int) -> bump(n) = (n = n + 1)
function [] = main()
    M = [[1.0, 2.0], [3.0, 4.0]]
    N = [[2.0, 2.0], [2.0, 2.0]]
    M[M > N] = 7
    print M
    M[M < N] = 0
    print M
    v = zeros(3)
    t = 4
    v[1] += 2
    v[1] += 3
    print v, " ", t
    n = 0
    for i = 1..3
        bump(n)
        if n > 2
            print "three"
        endif
    endfor
    print n
    try
        bump(n)
        error "stop"
    catch e
        print n
    endtry
endfunction
