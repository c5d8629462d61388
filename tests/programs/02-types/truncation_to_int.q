function y : int = whole(x : scalar)
    y = x
endfunction
print whole(2.7), " ", whole(-2.7), " ", whole(0.5)
