% After an assertion on its sizes an array has a type with these sizes, and stays the same array.
function [] = f(x : mat, v : vec, n : int)
    y = x
    assert(size(x) == [2, 3])
    print type(x), " ", type(y)
    x[1, 2] = 60
    print y[1, 2], " ", type(transpose(x))
    assert(numel(v) == n)
    print type(v)
    if n == 3
        assert(numel(v) == 3)
        v[0] = v[0] + 10
        for k = 0..2
            x[0, k] = v[k]
        endfor
    endif
    print v[0], " ", y[0, 0], " ", numel(v)
    x = zeros(n, n)
    print type(x)
endfunction
function s = total(v : vec)
    assert(numel(v) == 3)
    [a, b, c] = v
    s = a + b + c
endfunction
v = [1.0, 2, 3]
f([[1,2,3],[4,5,6.5]], v, 3)
print v
f([[1,2,3],[4,5,6.5]], [1.5, 2], 2)
print total(v)
try
    print total([1.0, 2])
catch ex
    print "caught"
endtry
