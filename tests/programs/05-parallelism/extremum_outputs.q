function [hi : int, lo : int, bits : int] = __kernel__ stats(x : ivec, pos : int)
    hi ^^= x[pos]
    lo __= x[pos]
    bits |= x[pos]
endfunction
[h, l, b] = parallel_do(4, [3,-7,8,1], stats)
print h, " ", l, " ", b
