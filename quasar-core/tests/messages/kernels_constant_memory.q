function [] = __kernel__ k(x : vec, f : vec(20000)'hwconst, pos : int)
%                                   ^ Q0302 an array of 80000 bytes does not fit into the 64512 bytes of constant memory
    x[pos] = f[pos]
endfunction
function [] = main()
    x = zeros(2)
    parallel_do(2, x, zeros(20000), k)
endfunction
