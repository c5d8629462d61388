function [total : scalar] = __kernel__ add_up(x : vec, pos : int)
    total += x[pos]
endfunction
print parallel_do(5, [1.0,2,3,4,5], add_up)
