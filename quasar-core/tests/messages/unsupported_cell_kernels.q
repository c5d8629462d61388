% compiled
    function [] = __kernel__ k(x : vec[vec[mat]], y : vec, pos : int)
%   ^ Q0001 not supported yet: a kernel parameter of this type
    y[pos] = x[0][0][pos,0]
endfunction
function [] = main()
    c = vec[vec[mat]](1)
    c[0] = vec[mat](1)
    c[0][0] = zeros(2,2)
    y = zeros(2)
    parallel_do(2, c, y, k)
endfunction
