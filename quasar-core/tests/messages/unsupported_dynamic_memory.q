% compiled
function [] = __kernel__ k(x : mat, n : int, pos : int)
    w = zeros(n)
%   ^ Q0001 not supported yet: a variable of this type in a kernel: 'w'
%       ^ Q0001 not supported yet: 'zeros' in a kernel or device function
    w[0] = x[pos,0]
    r = x[pos,:]
    x[pos,0] = w[0] + r[1]
endfunction
function [] = main()
    x = zeros(4,4)
    parallel_do(4, x, 3, k)
endfunction
