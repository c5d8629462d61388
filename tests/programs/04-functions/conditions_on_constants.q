MODE = 2
function y = f(x)
    if MODE == 1
        y = x + "text"
    else
        y = 2*x
    endif
endfunction
print f(4), " ", MODE == 2 ? "two" : "other"
