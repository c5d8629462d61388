% Shared variables that are folds along an axis: of all axes of matrices and cubes, those whose axis is dropped and those
% that keep it with extent 1, of known and of unknown extents.
function [] = __kernel__ rows(x : mat, y : vec, pos : int)
    S : 'shared = sum(x[0..1,0..3], 0)
    y[pos] = S[pos]
endfunction
function [] = __kernel__ columns(x : mat, y : vec, pos : int)
    S : 'shared = sum(x[0..1,0..3], 1)
    y[pos] = S[mod(pos,2),0]
endfunction
function [] = __kernel__ planes(x : cube, y : vec, n : int, pos : int)
    assert(n > 0 && n <= 4)
    S : 'shared = prod(x[0..1,0..n-1,0..2] + 1, 2)
    y[pos] = S[1,pos]
endfunction
function [] = __kernel__ other_axes(x : cube, y : vec, pos : int)
    S : 'shared = sum(x[0..1,0..3,0..2], 0)
    T : 'shared = sum(x[0..1,0..3,0..2], 1)
    y[pos] = S[pos,2] * 1000 + T[1,0,mod(pos,3)]
endfunction
function [] = main()
    y = zeros(4)
    x = reshape(0..7, [2,4])
    parallel_do(4, x, y, rows)
    print "rows: ", y, " ", sum(x, 0)
    parallel_do(4, x, y, columns)
    print "columns: ", y, " ", reshape(sum(x, 1), 2)
    c = reshape(0..23, [2,4,3])
    parallel_do(4, c, y, 4, planes)
    print "planes: ", y, " ", prod(c + 1, 2)[1,:]
    parallel_do(4, c, y, other_axes)
    print "others: ", y, " ", sum(c, 0)[:,2], " ", reshape(sum(c, 1)[1,0,:], 3)
endfunction
