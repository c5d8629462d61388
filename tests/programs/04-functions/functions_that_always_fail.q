% A result has no value when the function always fails, and no one misses it.
function y = refused(v : vec, k : int)
    error "code ", 7, " of ", 2.5
    y = v[k]
endfunction
function x = same_name(x)
    error "no ", x
endfunction
function [a : scalar, b : mat] = several(n : int)
    if n > 0
        error "positive"
    else
        error "negative"
    endif
endfunction
try
    print refused([1.0, 2], 0)
catch ex
    print ex
endtry
try
    print same_name(4)
catch ex
    print ex
endtry
for n = -1..2..1
    try
        [a, b] = several(n)
        print a
    catch ex
        print ex
    endtry
endfor
