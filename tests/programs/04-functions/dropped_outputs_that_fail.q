% What `_` drops may fail all the same: prints, errors and assertions on the way to an output stay, whoever takes it.
function [first, second] = parts(v : vec, n : int)
    first = v[0]
    second = first
    if n > 2
        error("no part ", n)
    endif
    print "part ", n
    second = v[n]
endfunction
function [] = attempt(n : int)
    try
        [a, _] = parts([1.0, 2, 3], n)
        print a
    catch e
        print e.message
    endtry
endfunction
attempt(2)
attempt(3)
function [a, b] = checked(n : int)
    a = n
    assert(n < 3, "too many: ", n)
    b = n
endfunction
try
    [_, _] = checked(2)
    [c, _] = checked(5)
    print c
catch e
    print e.message
endtry
