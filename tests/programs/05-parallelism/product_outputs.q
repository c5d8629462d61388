function [p : scalar, z : cscalar] = __kernel__ gather(x : vec, pos : int)
    p -= x[pos]
    z += x[pos]*1j
endfunction
[p, z] = parallel_do(3, [1.0,2,3], gather)
print p, " ", z
