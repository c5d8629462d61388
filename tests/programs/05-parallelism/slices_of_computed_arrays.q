% Slices of small arrays that have no name, in kernels and parallel loops.
function [] = __kernel__ parts(y : mat, pos : int)
    w = [1, 2, 3 + pos]
    y[pos, 0..1] = (w + 1)[1..2]
    q = repmat(w, [1, 2])[0, 2..4]
    y[pos, 2] = sum(q)
    y[pos, 3] = sum((w .* w)[[0, 2]]) + max((2*w - pos)[2..-1..0])
    m = [w, w + 10]
    y[pos, 4] = sum((m + 1)[1, :]) - sum(transpose(m)[:, 0])
    if sum((w - pos)[0..1]) > 0
        y[pos, 5] = (([5, 6, 7] + w)[1..2])[1]
    endif
endfunction
function [] = main()
    y = zeros(4, 6)
    parallel_do(4, y, parts)
    print y
    z = zeros(3)
    for k = 0..2
        v = [k, k + 1, k + 2, k + 3]
        z[k] = sum((v .* 2)[1..2..3]) + (v - 1)[0..1][1]
    endfor
    print z
endfunction
