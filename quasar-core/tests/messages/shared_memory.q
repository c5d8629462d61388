% optimised
function [] = __kernel__ bounded(x : mat, M : int, N : int, K : int, pos : int)
    assert(M<8 && N<20 && K<4)
    s = shared(M,N,K)
%       ^ Q0503 Calculated an upper bound for the amount of shared memory: 2560 bytes
    s[0,0,0] = x[0,pos]
    syncthreads
    x[1,pos] = s[0,0,0]
endfunction
function [] = __kernel__ products(x : mat, M : int, N : int, pos : int)
    assert(M*N<=512)
    s = shared(M,2,N)
%       ^ Q0503 Calculated an upper bound for the amount of shared memory: 4096 bytes
    s[0,0,0] = x[0,pos]
    syncthreads
    x[1,pos] = s[0,0,0]
endfunction
function [] = __kernel__ unbounded(x : mat, M : int, pos : int)
    s = shared(M)
%       ^ Q0412 no upper bound is known for the shared memory of 'unbounded'
    s[0] = x[0,pos]
    syncthreads
    x[1,pos] = s[0]
endfunction
function [] = __kernel__ toolarge(x : mat, pos : int)
    s = shared(64,128)
%       ^ Q0424 the blocks of 'toolarge' need 65536 bytes of shared memory, and have 49152
    t = shared[int](64,128)
    s[0,0] = x[0,pos]
    t[0,0] = 1
    syncthreads
    x[1,pos] = s[0,0] + t[0,0]
endfunction
function [] = main()
    x = zeros(2,8)
    parallel_do(8, x, 3, 3, 3, bounded)
    parallel_do(8, x, 3, 3, products)
    parallel_do(8, x, 3, unbounded)
    parallel_do(8, x, toolarge)
endfunction
