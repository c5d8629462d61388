% compiled
function [] = __kernel__ shared_inner(x : vec, pos : int)
    s = shared_zeros(4)
    syncthreads
    x[pos] = s[0]
endfunction
function [] = __kernel__ k(x : vec, pos : int)
    parallel_do(2, x, shared_inner)
%   ^ Q0001 not supported yet: a launch inside a kernel
endfunction
function [] = main()
    x = zeros(2)
    parallel_do(2, x, k)
endfunction
