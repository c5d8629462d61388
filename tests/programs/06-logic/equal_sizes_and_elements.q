% Arrays of equal sizes have equally many elements, and elements of arrays of floats are known until something is stored.
function [] = sizes(x : mat, y : mat, v : vec, w : vec)
    print "unknown: ", $check(numel(x) == numel(y))
    assert(size(x) == size(y))
    print "equal: ", $check(numel(x) == numel(y)), " ", $check(numel(x) < numel(y)), " ", $check(size(x,1) == size(y,1))
    z = zeros(size(x))
    u = uninit(size(z))
    c = copy(u)
    print "made: ", $check(size(c) == size(y)), " ", $check(numel(u) == numel(y)), " ", $check(numel(c) == numel(x))
    assert(numel(x) > 3)
    print "counted: ", $check(numel(c) > 2), " ", $check(numel(c) > 4)
    assert(numel(v) == numel(w))
    print "vectors: ", $check(size(v,0) == size(w,0)), " ", $check(numel(v) == numel(w))
    if numel(c) > 2
        print "more than two"
    else
        print "never"
    endif
    x = zeros(1,2)
    print "replaced: ", $check(numel(x) == 2), " ", $check(numel(c) == numel(y))
endfunction
function [] = elements(v : vec, w : vec, k : int)
    assert(v[1] > 2.5)
    print $check(v[1] > 1.0), " ", $check(v[1] > 3), " ", $check(v[1] <= 2.5), " ", $check(v[0] > 1.0)
    a = v[1]
    print $check(v[1] >= 2)
    w[0] = 7
    print "after a store: ", $check(v[1] > 1.0)
    assert(v[1] > 2.5 && v[0] < 1)
    v *= 2
    print "after an update: ", $check(v[1] > 1.0)
    assert(v[0] < 9.5)
    for i = 0..k
        print "in the loop: ", $check(v[0] < 10)
        v[0] = 12.5
    endfor
    print "behind it: ", $check(v[0] < 10)
    u = v
    assert(u[1] < 100)
    print "another name: ", $check(v[1] < 101)
    u[1] = 200
    print "after a store to it: ", $check(v[1] < 101), " ", v[1]
    change(v)
    print "after a call: ", $check(u[1] < 1000)
    assert(v[0] < 1)
    print $check(v[0] < 2), " ", $check(u[0] < 2)
    % NaN is neither less nor more.
    if v[1] < 5
        print "less"
    else
        print $check(v[1] >= 5), " ", $check(v[1] < 5)
    endif
endfunction
function [] = change(v : vec)
    v[0] = 0.5
    v[1] = nan
endfunction
sizes(zeros(2,3), zeros(2,3), [1.0,2], [3.0,4])
elements([0.5,3.5], [1.0,2], 1)
