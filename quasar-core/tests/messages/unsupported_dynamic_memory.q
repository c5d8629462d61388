% compiled
function [] = __kernel__ k(x : mat, n : int, pos : int)
    y = x
%   ^ Q0425 kernel 'k' takes dynamic memory: each thread makes the array 'y'
%       ^ Q0001 not supported yet: another name for this array in a kernel
    y[pos,0] = 1
    m = zeros(n, n, n)
    s = squeeze(m)
%       ^ Q0001 not supported yet: 'squeeze' in a kernel or device function
    x[pos,0] = s[0,0,0] + y[0,0]
endfunction
function [] = main(n : int = 4)
    x = zeros(n,n)
    parallel_do(4, x, 3, k)
endfunction
