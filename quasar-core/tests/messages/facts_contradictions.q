% Assertions that cannot hold where the program comes to them.
function [] = f(n : int, x : mat, v : vec)
    assert(n == 4)
    assert(n > 5)
%          ^ Q0601 NO NO NO I don't believe this, can't be true! Assertion 'n > 5' is contradictory with 'n == 4'
    k = n + 1
    assert(k != 5, "k is ", k)
%          ^ Q0601 Assertion 'k != 5' is contradictory with 'n == 4'
    assert(size(x) == [3, 4])
    assert(size(x,0) < 3 || size(x,1) == 0)
%          ^ Q0601 is contradictory with what is known here
    for i = 0..numel(v)-1
        assert(i < 0)
%              ^ Q0601 Assertion 'i < 0' is contradictory with what is known here
    endfor
    if n > 3 && k > 4
        assert(false)
%              ^ Q0601 Assertion 'false' is contradictory with what is known here
    else
        assert(k < 100)
    endif
endfunction
function [] = g(a : int, b : int, c : int)
    assert(a < b && b < c)
    assert(c <= a)
%          ^ Q0601 Assertion 'c <= a' is contradictory with 'a < b && b < c'
    if a == 7
        error("no")
    endif
    assert(!(a != 7))
%          ^ Q0601 is contradictory with '!(a == 7)'
    unassert(a < b)
    assert(a >= b)
    assert(b > a)
%          ^ Q0601 Assertion 'b > a' is contradictory with 'a >= b'
endfunction
f(4, zeros(3,4), [1,2])
g(1, 2, 3)
