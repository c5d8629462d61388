function s : scalar = __device__ f(x : vec)
    S : 'shared = x[0..3]
%   ^ Q0405 'S' is declared `'shared`, which belongs into kernel functions and parallel loops declare it in the kernel and pass it to the function
    s = sum(S)
endfunction
function s : scalar = __device__ declared(x : vec)
    S : vec(4)'shared
%   ^ Q0405 'S' is declared `'shared`, which belongs into kernel functions and parallel loops
    S[0] = x[0]
    s = S[0]
endfunction
function s : scalar = __device__ given(x : vec'shared)
%                                      ^ Q0302 the parameter 'x' is declared `'shared`, which belongs to variables of kernel functions leave it out: functions take arrays of all kinds of memory
    s = x[0]
endfunction
function [] = __kernel__ k(x : vec'shared, y : vec, pos : int)
%                          ^ Q0302 the parameter 'x' is declared `'shared`, which belongs to variables of kernel functions
    y[pos] = f(x) + given(x) + declared(x)
endfunction
function [] = main()
    y = zeros(2)
    parallel_do(2, ones(4), y, k)
    for i = 0..3
        s = shared(3)
%           ^ Q0405 'shared' makes shared memory, which belongs into kernel functions
        y[0] += s[0]
    endfor
endfunction
