% Results of kernels start at zero; what threads add is accumulated.
function [total : int, largest : scalar, count : int] = __kernel__ several(x : vec, pos : int)
    total += pos
    largest = max(largest, x[pos])
    if x[pos] > 2.5
        count += 1
    endif
endfunction
function [last : int] = __kernel__ not_accumulated(n : int, pos : int)
    if mod(pos, 3) == 0
        last = n*pos + 1
    endif
endfunction
x = [1.0, 7, 3, 2, 5]
[t, m, c] = parallel_do(5, x, several)
print t, m, c
[t, m, c] = parallel_do(3, x, several)
print t, m, c
y = -x
[t, m, c] = parallel_do(5, y, several)
print t, m, c
print parallel_do(8, 10, not_accumulated)
