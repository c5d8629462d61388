% `{!parallel for}` inside of kernels and of parallel loops: each thread visits the iterations, also where they accumulate.
function [] = __kernel__ rows(x : mat, y : vec, pos : int)
    s = 0.0
    {!parallel for}
    for j = 0..size(x,1)-1
        s += x[pos,j]
    endfor
    {!parallel for}
    for j = 0..size(x,1)-1
        x[pos,j] = 10*pos + j
    endfor
    y[pos] = s
endfunction
function [] = main()
    y = zeros(2)
    x = ones(2,3)
    parallel_do(2, x, y, rows)
    print y, x
    {!parallel for}
    for i = 0..1
        t = 0.0
        {!parallel for}
        for j = 0..2
            t += x[i,j]
        endfor
        y[i] = t
    endfor
    print y
endfunction
