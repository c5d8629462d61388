for k = 1..2
    function y = shifted(x)
        y = x + 10*k
    endfunction
    print shifted(1)
endfor
