function y = pick(c : int)
    if c == 1
        y = 3
    else
        y = [1,2]
    endif
endfunction
print pick(1), " ", pick(2)
