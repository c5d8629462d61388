% tuples, typed cells, cells in kernels, multiple results and swaps
function [a, b, c] = three(x)
    a = x
    b = x*2
    c = {x, "t"}
endfunction
function t = pair(x)
    t = {x, x + 0.5}
endfunction
function [] = __kernel__ sums(c : vec[vec], y : vec, pos : int)
    v = c[pos]
    y[pos] = sum(v) + numel(v)
endfunction
function [] = __kernel__ levels(c : vec[mat], y : mat, pos : ivec2)
    s = 0.0
    for k = 0..numel(c)-1
        s += c[k][pos]
    endfor
    y[pos] = s
endfunction
function [] = main()
    [a, b, c] = three(4)
    print a, b, c
    [_, b, _] = three(1.5)
    print b
    [p, q] = pair(2)
    print p, q
    [h, w] = size(zeros(3,5))
    print h*w
    x = [10,20,30]
    [x[0], x[2]] = [x[2], x[0]]
    print x
    [i, j, k] = [1,2,3]
    [i, j, k] = [k, i, j]
    print i, j, k
    cells : vec[vec] = cell(3)
    for n = 0..2
        cells[n] = ones(n+1)*2.0
    endfor
    y = zeros(3)
    parallel_do(3, cells, y, sums)
    print y
    pyramid = {eye(2)*1.0, ones(2,2), [[1,2],[3,4]]*1.0}
    z = zeros(2,2)
    parallel_do(size(z), pyramid, z, levels)
    print z
    t = {1, "a", [1,2]}
    print t[0] + 1, t[1] + "b", t[2][1]
    t2 : vec[{int, string}] = {5, "x"}
    print t2[0], t2[1]
    nested = {{1, {2, 3}}, {4, {5, 6}}}
    s = 0
    for e = nested
        s += e[0] + e[1][0] * e[1][1]
    endfor
    print s
endfunction
