% Array expressions and slices read everything before they write: also where both sides are one array.
function y = itself(x)
    y = x
endfunction
function [] = shifted(a : vec, b : vec)
    n = numel(a)
    a[1..n - 1] = b[0..n - 2] + 1
endfunction
function [] = summed(a : vec, b : vec)
    a[0..numel(a)-1] = a + 2 * b
endfunction
function [] = in_place(a : vec, b : vec)
    a += b
    a .*= b
endfunction
function [] = rows(a : mat, b : mat)
    a[1..2, :] = b[0..1, :] + 1
    a[:, 0] = b[:, 1]
endfunction
function [] = gathered(a : vec, b : vec, i : ivec)
    a[i] = b[i[numel(i) - 1..-1..0]]
endfunction
function [] = row_by_row(a : mat, b : mat)
    for m = 1..size(a,0) - 1
        a[m, :] = b[m - 1, :] + 1
    endfor
endfunction
function [] = main()
    x = [1.0, 2, 3, 4, 5]
    shifted(x, x)
    print x
    shifted(x, itself(x))
    print x
    b = itself(x)
    b[1..4] = x[0..3] + 1
    print x
    in_place(x, x)
    print x
    b = itself(x)
    x = b + 1
    b[0] = 7
    print x, b
    c = x
    c += x
    print x
    m = reshape(float(0..11), 3, 4)
    rows(m, m)
    print m
    row_by_row(m, m)
    print m
    v = [1.0, 2, 3, 4, 5]
    gathered(v, v, [0, 2, 4])
    print v
    w = itself(v)
    w[0..2] = v[2..4]
    print v
    v[0..3] = w[1..4] * 2 - v[0..3]
    print w
    s = sum(v .* w)
    v[0] = s
    print w[0]
endfunction
