% optimised, with remarks
function [] = __kernel__ own(x : mat, y : mat, pos : ivec2)
    {!auto_vectorize}
%   ^ Q0501 Vectors: 'own' takes rows by the vector instructions of the processor, threads of GPUs 4 elements at a time.
    y[pos] = 2 * x[pos]
endfunction
function [] = __kernel__ pairs(x : mat, y : mat, pos : ivec2)
    {!auto_vectorize width=2}
%   ^ Q0501 threads of GPUs 2 elements at a time.
    y[pos] = 2 * x[pos]
endfunction
function [] = __kernel__ around(x : mat, y : mat, pos : ivec2)
    {!auto_vectorize}
%   ^ Q0501 'around' takes rows by the vector instructions of the processor, threads of GPUs one by one.
    y[pos] = x[pos[0], pos[1] + 1]
endfunction
function [] = __kernel__ waiting(y : mat, pos : ivec2, blkpos : ivec2)
    {!auto_vectorize}
%   ^ Q0420 `auto_vectorize` has no effect on 'waiting': its threads wait for each other
    s = shared(16, 16)
    s[blkpos] = 1
    syncthreads
    y[pos] = s[0, 0]
endfunction
function [] = main()
    x = zeros(8, 8)
    y = zeros(8, 8)
    parallel_do(size(x), x, y, own)
    parallel_do(size(x), x, y, pairs)
    parallel_do(size(x), x, y, around)
    parallel_do([size(x), [16, 16]], y, waiting)
    {!auto_vectorize}
%   ^ Q0501 takes rows by the vector instructions of the processor, threads of GPUs 4 elements at a time.
    for m = 0..7
%   ^ Q0501 Automatic parallelization of the 2-dim FOR loop.
        for n = 0..7
            y[m,n] = x[m,n] + 1
        endfor
    endfor
    {!auto_vectorize}
%   ^ Q0420 `auto_vectorize` has no effect on 'the loop': it did not become a kernel
    {!interpreted for}
    for m = 0..7
        print m
    endfor
endfunction
