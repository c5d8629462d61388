function [] = main()
    s = shared(4)
%       ^ Q0405 'shared' makes shared memory, which belongs into kernel functions
    syncthreads
%   ^ Q0405 syncthreads belongs into kernel functions
    memfence(grid)
%   ^ Q0405 'memfence' belongs into kernel functions
    t = shared_zeros(2)
%       ^ Q0405 'shared_zeros' makes shared memory, which belongs into kernel functions
endfunction
function y : scalar = __device__ f(x : scalar)
    s = shared(4)
%       ^ Q0405 'shared' makes shared memory, which belongs into kernel functions
    y = x
endfunction
print f(1.0)
