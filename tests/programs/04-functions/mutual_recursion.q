function y : int = outer(n : int)
    function r : int = even(n : int)
        r = n == 0 ? 1 : odd(n - 1)
    endfunction
    function r : int = odd(n : int)
        r = n == 0 ? 0 : even(n - 1)
    endfunction
    y = even(n)
endfunction
print outer(6), outer(7)
