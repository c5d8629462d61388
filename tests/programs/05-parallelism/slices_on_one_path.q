% Slices of small arrays without a name, where only one path or each round of a loop computes them.
function [] = __kernel__ k1(x : mat, y : vec, pos : int)
    w = [x[pos,0], x[pos,1], x[pos,2]]
    y[pos] = pos > 1 ? sum((w + 1)[1..2]) : sum((w * 2)[0..1])
endfunction
function [] = __kernel__ k2(x : mat, y : vec, pos : int)
    w = [x[pos,0], x[pos,1], x[pos,2]]
    if pos > 0 && sum((w + 1)[1..2]) > 3
        y[pos] = 1
    endif
    if pos > 2 || max((w + 1)[0..1]) > 7
        y[pos] += 2
    endif
endfunction
function [] = __kernel__ k3(x : mat, y : vec, pos : int)
    w = [x[pos,0], x[pos,1], x[pos,2]]
    n = 0
    while sum((w + n)[1..2]) < 20
        n += 1
    endwhile
    y[pos] = n
    m = 0
    repeat
        m += 1
    until sum((w + m)[0..1]) > 12
    y[pos] += 100 * m
    if pos == 0
        y[pos] += 0.5
    elseif sum((w - 1)[0..1]) > 5
        y[pos] += 0.25
    endif
endfunction
function [] = main()
    x = reshape(float(0..11), [4,3])
    y = zeros(4)
    parallel_do(4, x, y, k1)
    print y
    y = zeros(4)
    parallel_do(4, x, y, k2)
    print y
    y = zeros(4)
    parallel_do(4, x, y, k3)
    print y
endfunction
