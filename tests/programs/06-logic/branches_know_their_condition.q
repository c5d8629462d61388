% Branches know their condition, what follows knows why it was reached, and partial knowledge decides nothing.
function [] = f(a : int, b : int)
    if a < 0
        error("negative")
    endif
    if a >= 0
        print "reached with ", a
    endif
    if a > 3 || b > 3
        if a > 3
            print "a"
        elseif b > 3
            print "b"
        else
            print "never"
        endif
    else
        if a <= 3 && b <= 3
            print "neither"
        endif
    endif
    c = 5
    if b > 0
        c = a
    endif
    if c == 5
        print "c is five"
    endif
    g = x -> x > 3 ? "large" : "small"
    assert(a < 4)
    print g(a), " ", g(b)
    print a < 10 && b > 100 ? "both" : "not both"
endfunction
try
    f(-1, 0)
catch ex
    print "caught"
endtry
f(0, 9)
f(3, 0)
