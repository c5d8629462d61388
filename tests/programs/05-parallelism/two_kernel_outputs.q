function [total : scalar, n : int] = __kernel__ stats(x : vec, pos : int)
    total += x[pos]
    if x[pos] > 2
        n += 1
    endif
endfunction
[t, n] = parallel_do(5, [1.0,2,3,4,5], stats)
print t, " ", n
