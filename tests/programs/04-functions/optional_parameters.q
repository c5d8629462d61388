function y = f(a, b = 2*a, c = a + b)
    y = a + 10*b + 100*c
endfunction
print f(1), " ", f(1, 5), " ", f(1, 5, 9), " ", f(2, c := 1)
