% Sizes belong to arrays: a variable that is given another array loses what is known, a second name for one keeps it.
function [] = f(x : mat, v : vec, n : int)
    assert(size(x) == [2, 3])
    y = x
    x = zeros(n, n)
    if size(y, 0) == 2
        print "y has two rows"
    endif
    if size(x, 0) == 2
        print "x has two rows"
    else
        print "x has ", size(x, 0), " rows"
    endif
    assert(numel(v) > 2)
    w = v + 1
    if numel(w) < 3
        print "never"
    endif
    for k = 0..2
        if numel(v) > 2
            print "long"
        else
            print "short"
        endif
        v = v[0..1]
    endfor
    z = zeros(size(y))
    if size(z) == size(y)
        print "alike"
    endif
endfunction
f([[1,2,3],[4,5,6]], [1,2,3], 4)
