% Facts about a variable that a loop changes do not hold at its head.
function [] = f(n : int, k : int)
    assert(n == 3)
    m = n
    while m > 0
        if m == 3
            print "first"
        endif
        m = m - 1
    endwhile
    if m > 0
        print "never"
    else
        print "left with ", m
    endif
    for i = k..-1..1
        if i > 1
            print "i ", i
        endif
        i = -i
        if i < 0
            print "turned ", i
        endif
    endfor
    for i = 0..2..4
        if i == 3
            print "odd"
        endif
    endfor
    j = 0
    repeat
        j = j + 1
        if j == 2
            continue
        endif
        n = n + j
    until j > 2
    print n, " ", j
    % A break leaves the loop where its condition still holds.
    while k < 10
        k = k + 1
        if k == 7
            break
        endif
    endwhile
    if k < 10
        print "broken at ", k
    endif
endfunction
f(3, 3)
