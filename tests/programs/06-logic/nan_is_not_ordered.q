% NaN is neither less nor greater, so that a false comparison says little about the others.
function [] = f(a : scalar)
    if !(a < 2)
        if a >= 2
            print "at least two"
        else
            print "not ordered"
        endif
    endif
    if a > 2 && a < 4
        if a > 1
            print "above one"
        endif
        if a == 2
            print "never"
        endif
        if a <= 3
            print "up to three"
        else
            print "above three"
        endif
    endif
    if a != a
        print "not a number"
    endif
endfunction
f(2.5)
f(3.5)
f(nan)
f(1.0)
