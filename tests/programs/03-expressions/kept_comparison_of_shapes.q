% `==` of arrays whose shapes may differ is an array, which has one element if they do.
function [] = test(a : vec, b : vec)
    m = a == b
    print m, " ", a != b, " ", m + 1, " ", sum(m), size(m), all(m), " ", m[0]
    n = (a != b) * 3
    print n
    if m
        print "equal"
    elseif n
        print "different"
    endif
    c = {m, 2}
    print c[0]
    s : ?? = a == b
    print s
    print count(a == b)
    try
        a[m] = 7
        print a
    catch e
        print "no mask of 'a'"
    endtry
endfunction
function [] = images(a : mat, b : mat)
    m = a != b
    print m, size(m), sum(m, 0)
endfunction
function y = same(a : vec, b : vec)
    y = a == b
endfunction
function y = count(m)
    y = sum(m) + 10 * numel(m)
endfunction
function y = pick(c : int, a : vec, b : vec)
    y = c ? a == b : a != b
endfunction
test([1,2,3], [1,5,3])
test([1,2,3], [1,5,3,4])
images(eye(2), ones(2, 2))
images(eye(2), ones(2, 3))
print same([1,2], [1,2,3]), same([1,2], [1,2])
print pick(1, [1,2], [1,2,3]), pick(0, [1,2], [1,2,3])
