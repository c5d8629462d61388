% Loops that give arrays other names, or put others in their place, mean the same whether they become kernels or not.
function [] = main()
    x = [1.0, 2, 3]
    y = zeros(3)
    for k = 0..2
        y = x
    endfor
    y[0] = 5
    print x, y
    x = [1, 2, 3]
    total = 0
    for k = 0..8
        x[mod(k, 3)] = k
        total += x[0]
        x = [3, 1, 4]
    endfor
    print x, total
    w = zeros[int](3)
    for k = 0..8
        w[mod(k, 3)] = k
        z = w
    endfor
    z[1] = 100
    print w
    v = [0.5, 1.5]
    s = 0.0
    for k = 0..3
        s += v[0]
        v = 2 * v
    endfor
    print s, v
    A = ones(2, 2)
    n = 0
    for i = 0..1
        for j = 0..1
            if j > 0
                break
            endif
            A[i,j] = 7
            n += 1
        endfor
    endfor
    print A, n
    q = [1.5, -2.5, 3.5]
    q[q > 0] = floor([q > 0])
    print q
endfunction
