% An assignment in a function makes a variable of the function; blocks make none.
total = 3
function y = counted(n : int)
    if n > 2
        found = 10 * n
    else
        found = 0
    endif
    total = found + 1
    y = total
endfunction
function y = seen()
    y = total
endfunction
print counted(5), " ", total, " ", seen()
total += 1
print seen()
