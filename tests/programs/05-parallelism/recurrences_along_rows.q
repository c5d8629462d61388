% Recurrences along rows in loops over columns, by loops and by slices: rows are positions.
function [] = all_of(x : mat)
    M = size(x,0)
    N = size(x,1)
    % from the right, by slices
    y = zeros(M,N)
    y[:,N-1] = x[:,N-1]
    for j = N-2..-1..0
        y[:,j] = x[:,j] - 2*y[:,j+1]
    endfor
    print sum(y), " ", y[3,0], " ", y[6,2]
    % depends on the row above: stays in order
    z = zeros(M,N)
    for j = 1..N-1
        for i = 1..M-1
            z[i,j] = x[i,j] + z[i-1,j-1]
        endfor
    endfor
    print sum(z)
    % a cube along its last dimension
    c = zeros(M,4,N)
    for k = 1..N-1
        for i = 0..M-1
            for j = 0..3
                c[i,j,k] = mod(c[i,j,k-1] + x[i,k] + j, 17)
            endfor
        endfor
    endfor
    print sum(c)
    % two arrays in one loop; and a branch
    p = zeros(M,N)
    q = zeros(M,N)
    for j = 1..N-1
        for i = 0..M-1
            if x[i,j] > 5
                p[i,j] = p[i,j-1] + x[i,j]
            else
                q[i,j] = q[i,j-1] + p[i,j-1]
            endif
        endfor
    endfor
    print sum(p), " ", sum(q)
    i = 3
    j = 4
    for j = 2..N-1
        for i = 0..M-2
            p[i,j] += p[i,j-2]
        endfor
    endfor
    print i, " ", j, " ", sum(p)
    % transposed store
    t = zeros(N,M)
    for j = 1..N-1
        for i = 0..M-1
            t[j,i] = t[j-1,i] + x[i,j]
        endfor
    endfor
    print sum(t)
    % same array through a slice of itself
    w = copy(x)
    for j = 1..N-1
        w[:,j] += w[:,j-1]
    endfor
    print sum(w)
    for j = 1..N-1
        w[:,j] = max(w[:,j-1], w[:,j]) - min(w[:,j])
    endfor
    print sum(w)
endfunction
function x : mat = numbers(M : int, N : int)
    x = zeros(M,N)
    for m = 0..M-1
        for n = 0..N-1
            x[m,n] = mod(m*5+n*3,11)
        endfor
    endfor
endfunction
function [] = main()
    all_of(numbers(70,9))
    all_of(numbers(7,11))
endfunction
