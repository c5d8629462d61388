function y = f(c)
    if c > 0
        y = 1
    else
        y = 2.5
    endif
endfunction
print f(1), " ", f(-1), " ", type(f(1))
