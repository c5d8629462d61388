% `unassert` takes knowledge back; the program does the same.
function y = f(n : int)
    assert(n > 3)
    unassert(n > 3)
    y = n > 3 ? "still" : "no longer"
    if n > 2
        y = strcat(y, " above two")
    endif
endfunction
print f(4)
% Only what the proposition follows from is forgotten.
function [] = partly(n : int, m : int, x : scalar)
    assert(n > 2 && n < 10)
    unassert(n > 2)
    print $check(n > 2), " ", $check(n < 10)
    assert(x > 2 && x < 4)
    unassert(x > 2)
    print $check(x > 2), " ", $check(x < 4), " ", $check(x <= 5)
    assert(n <= m && m <= 5 && m >= 3)
    unassert(n <= 5)
    print $check(n <= 5), " ", $check(m >= 3), " ", $check(n < 10)
    unassert(m >= 3 && n < 10)
    print $check(m >= 3), " ", $check(n < 10)
    assert(n == 4)
    unassert(n != 4)
    print $check(n == 4)
endfunction
partly(4, 4, 3.0)
