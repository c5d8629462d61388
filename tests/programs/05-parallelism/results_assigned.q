% A result that threads assign is what one of them assigned; if all assign the same, it is that.
function [last, some] = __kernel__ assigned(x : vec, pos : int)
    last = 7
    if x[pos] > 2
        some = x[pos]
    endif
endfunction
x = [1.0,5,2,5]
[last, some] = parallel_do(4, x, assigned)
print last, " ", some
[last, some] = parallel_do(0, x, assigned)
print last, " ", some
