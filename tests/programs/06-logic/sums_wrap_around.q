% Sums of ints wrap around, and what facts say of them takes that into account.
function [] = f(n : int, m : int)
    if n + 1 > n
        print "greater"
    else
        print "wrapped"
    endif
    if n - 1 < n
        print "less"
    else
        print "wrapped below"
    endif
    k = n + 1
    if k <= n
        print "k wrapped"
    endif
    if n < m
        % Now the sum is in range.
        if n + 1 <= m
            print "below"
        else
            print "never"
        endif
    endif
endfunction
f(2147483647, 0)
f(-2147483647 - 1, 1)
f(5, 6)
