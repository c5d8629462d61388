function y : int = fact(n : int)
    if n <= 1
        y = 1
    else
        y = n*fact(n - 1)
    endif
endfunction
function y : int = fib(n : int)
    y = n < 2 ? n : fib(n-1) + fib(n-2)
endfunction
print fact(10), " ", fib(15)
