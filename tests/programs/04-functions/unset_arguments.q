% A variable that a path leaves unset is an error where it is handed over, also to what does not use it, and in what nobody takes.
function y = first(a, b)
    y = a + 1
endfunction
function [y, z] = two(n)
    y = n + 1
    if n > 3
        t = n
    endif
    z = t
endfunction
function [] = test(n)
    if n > 2
        t = n
    endif
    ignore = (a, b) -> a * 2
    try
        print ignore(n, t)
    catch e
        print e.message
    endtry
    try
        print first(n, t)
    catch e
        print e.message
    endtry
    try
        [y, _] = two(n)
        print y
    catch e
        print e.message
    endtry
    try
        x = zeros(4)
        for k = 0..3
            if n > 2
                u = k
            endif
            x[k] = ignore(k, u)
        endfor
        print x
    catch e
        print "unset in the loop"
    endtry
endfunction
function [] = main()
    test(1)
    test(3)
    test(5)
endfunction
