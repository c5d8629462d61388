function [] = attempt(f)
    try
        print f()
    catch e : qindexexception
        print "index: ", e.message
    catch e
        print "other: ", e.message
    endtry
endfunction
function v = numbers(n : int)
    v = 0..n-1
endfunction
function y = part(v : vec, a : int, s : int, b : int)
    y = v[a..s..b]
endfunction
function y = piece(v : vec, a : int, b : int)
    y = v[a..b]
endfunction
function y = store(v : vec, a : int, b : int, w : vec)
    y = copy(v)
    y[a..b] = w
endfunction
function y = at(v : vec, k : int)
    y = v[k]
endfunction
function y = safe(v : vec'safe, k : int)
    y = v[k]
endfunction
function y = mirror(v : vec'mirror, k : int)
    y = v[k]
endfunction
function y = circular(v : vec'circular, k : int)
    y = v[k]
endfunction
function y = row(m : mat, r : int)
    y = m[r, :]
endfunction
function y = block(m : mat, r : int, c : int)
    y = m[r..r+1, c..c+1]
endfunction
attempt(() -> part(numbers(6), 0, 2, 5))
attempt(() -> part(numbers(6), 5, -2, 0))
attempt(() -> part(numbers(6), 5, 1, 0))
attempt(() -> part(numbers(6), 0, 0, 3))
attempt(() -> part(numbers(6), 0, 3, 8))
attempt(() -> piece(numbers(6), 4, 6))
attempt(() -> piece(numbers(6), -1, 2))
attempt(() -> piece(numbers(6), 3, 2))
attempt(() -> piece(numbers(6), 3, 1))
attempt(() -> piece(numbers(0), 0, -1))
attempt(() -> store(numbers(4), 1, 2, [8, 9]))
attempt(() -> store(numbers(4), 1, 2, [8]))
attempt(() -> store(numbers(4), 3, 4, [8, 9]))
attempt(() -> store(numbers(4), 2, 1, zeros(0)))
attempt(() -> at(numbers(4), 4))
attempt(() -> at(numbers(4), -1))
attempt(() -> safe(numbers(4), -1))
attempt(() -> mirror(numbers(4), -2))
attempt(() -> mirror(numbers(4), 5))
attempt(() -> circular(numbers(4), -9))
attempt(() -> circular(numbers(4), 11))
attempt(() -> row(ones(2, 3), 1))
attempt(() -> row(ones(2, 3), 2))
attempt(() -> block(ones(3, 3), 1, 1))
attempt(() -> block(ones(3, 3), 2, 1))
attempt(() -> block(ones(3, 3), 0, -1))
attempt(() -> size(zeros(0, 3)))
attempt(() -> zeros(0, 3)[:, 1])
attempt(() -> numbers(5)[[0, 2, 4]])
attempt(() -> numbers(5)[[0, 5]])
attempt(() -> mirror(zeros(0), 1))
attempt(() -> zeros(-1 + at(numbers(1), 0)))
