% single: numbers of either precision are shown with other digits
function y = narrow(x : int)
    y = int8(x)
endfunction
function y = add8(a : int8, b : int8)
    y = a + b
endfunction
function y = sat(x : int)
    t : uint8'sat = x
    y = t
endfunction
function y = wrap(x : int)
    t : uint8'unchecked = x
    y = t
endfunction
function y = checked(x : int)
    t : uint8 = x
    y = t
endfunction
function [] = attempt(f)
    try
        print f()
    catch e : qoverflowexception
        print "overflow: ", e.message
    catch e
        print "other: ", e.message
    endtry
endfunction
function y = to_int(x : scalar)
    y = int(x)
endfunction
function [q, r] = divide(a : int, b : int)
    q = a / b
    r = mod(a, b)
endfunction
attempt(() -> narrow(127))
attempt(() -> narrow(128))
attempt(() -> narrow(-129))
attempt(() -> add8(int8(100), int8(27)))
attempt(() -> add8(int8(100), int8(28)))
attempt(() -> sat(300))
attempt(() -> sat(-5))
attempt(() -> wrap(300))
attempt(() -> wrap(-5))
attempt(() -> checked(256))
attempt(() -> to_int(3e9))
attempt(() -> to_int(-3.7))
attempt(() -> to_int(0/0))
attempt(() -> 2147483647 + to_int(1))
attempt(() -> -2147483648 - to_int(1))
attempt(() -> abs(-2147483648 + to_int(0)))
attempt(() -> mod(to_int(7), to_int(0)))
attempt(() -> mod(to_int(-7), to_int(3)))
attempt(() -> shl(to_int(1), to_int(31)))
attempt(() -> shl(to_int(1), to_int(33)))
attempt(() -> shr(to_int(-8), to_int(1)))
attempt(() -> to_int(7) / to_int(2))
attempt(() -> to_int(2) ^ to_int(31))
attempt(() -> to_int(2) ^ to_int(-1))
attempt(() -> int64(2)^40 + to_int(1))
attempt(() -> uint8([250, 260]))
attempt(() -> int([1.5, -1.5, 2.5]))
