function y = outer(x)
    k = 10
    function z = inner(a)
        z = a + k
    endfunction
    k = 20
    y = inner(x)
endfunction
print outer(1)
