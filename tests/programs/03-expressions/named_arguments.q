function y = f(a, b, c = 5)
    y = 100*a + 10*b + c
endfunction
print f(b := 2, a := 1), " ", f(3, c := 1, b := 4), " ", f(1, 2)
