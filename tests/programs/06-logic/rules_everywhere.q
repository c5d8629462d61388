import "system.q"
% Rules wherever expressions stand; the result of one may be the operand of the next.
reduction (x) -> quot(x) = $str(x)
macro [] = m(x)
    reduction (k) -> twice(k) = k*2 + x
    if x > 3
        print twice(1)
    endif
endmacro
function y = f(x)
    y = x
endfunction
reduction (x : int) -> f(x) = f(x) + 1 where x > 3
function [] = main()
    q = 4
    w = [[1.0, 2.0], [3.0, 5.0]]
    print real(ifft2(fft2(w)))
    print quot(q + 3*4)
    r = 4
    !m q
    !m 2
    print f(f(5)), " ", f(2), " ", f(f(3))
    y = f(q) + f(f(q))
    print y
    g = x -> f(x)
    print g(7)
    A = [1, 2, f(9)]
    print A, " ", [f(4), f(5)]
    A[f(0)] = f(6)
    print A
    s = {f(4), "a"}
    print s
    match f(7) with
        | f(7) -> print "same"
        | _ -> print "other"
    endmatch
    x = f(10)
    x += f(4)
    print x
    print f(x > 3 ? 5 : 2)
    assert(f(5) == 6)
    if f(5) == 6
        print "six"
    endif
    repeat
        x = x - f(4)
    until x < f(5)
    print x
    try
        error "bad ", f(5)
    catch e
        print e
    endtry
endfunction
