% cat along dimension 1 joins vectors to a vector, as horzcat does: its type says so too.
function y = joined(a : vec, b : vec)
    y = cat(1, a, b)
endfunction
function [] = __kernel__ lengths(dst : ivec, pos : int)
    w = cat(1, [1,2,3], [4,5])
    dst[pos] = 100*numel(w) + 10*size(w,0) + int(w[3])
endfunction
function [] = main()
    v = cat(1, [3,1,2], [5,0,6])
    print v, " ", size(v), " ", v[4], " ", ndims(v)
    print cummin(v, 0), " ", cummin(v, 1), " ", sort(v, 0), " ", sum(v, 0)
    w = joined([1.5, 2], [3])
    print w, " ", size(w), " ", cumsum(w, 0), " ", w[0..1..2]
    print size(cat(1, 7, [8,9])), size(cat(1, 7, 8)), size(cat(1, [1+2j], [3])), size(horzcat([1,2],[3]))
    print size(cat(1, [[1,2]], [3,4])), size(cat(1, [1,2], [[3,4]])), size(cat(0, [1,2], [3,4])), size(cat(2, [1,2], [3,4]))
    x = zeros(0)
    for k = 0..3
        x = cat(1, x, [k, k*k])
    endfor
    print x, " ", x[7], " ", max(x, 0), " ", size(x)
    n = [1, 1, 1, 0]
    u = cat(1, n[n > 0], [9])
    print u, " ", size(u), " ", u + [1, 2, 3, 4]
    d = zeros[int](2)
    parallel_do(2, d, lengths)
    print d
endfunction
