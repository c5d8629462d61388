function [] = __kernel__ collatz(y : ivec, pos : int)
    n = pos + 1
    steps = 0
    while n != 1
        if mod(n, 2) == 0
            n = shr(n, 1)
        else
            n = 3*n + 1
        endif
        steps += 1
    endwhile
    y[pos] = steps
endfunction
y = vec[int](7)
parallel_do(7, y, collatz)
print y
