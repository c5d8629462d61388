% `unassert` takes knowledge back; the program does the same.
function y = f(n : int)
    assert(n > 3)
    unassert(n > 3)
    y = n > 3 ? "still" : "no longer"
    if n > 2
        y = strcat(y, " above two")
    endif
endfunction
print f(4)
