function y = __device__ next(x : scalar)
    y = x + 1
endfunction
function y = __device__ twice(x : scalar)
    y = x * 2
endfunction
function [] = __kernel__ each(A : mat, f, pos : ivec2)
    A[pos] = f(A[pos])
endfunction
function [] = __kernel__ by_row(A : mat, n : int, pos : ivec2)
    f = pos[0] > n ? next : twice
    A[pos] = f(A[pos])
endfunction
function [] = __kernel__ by_column(A : mat, pos : ivec2)
    ops = {next, twice, __device__ (x) -> -x}
    A[pos] = ops[pos[1]](A[pos])
endfunction
function [] = main()
    A = ones(3, 3)
    % The host chooses, the kernel calls.
    for n = 0..1
        f = n == 0 ? next : twice
        parallel_do(size(A), A, f, each)
    endfor
    print A
    % Each thread chooses.
    parallel_do(size(A), A, 1, by_row)
    print A
    parallel_do(size(A), A, by_column)
    print A
    % Functions with captured numbers.
    for n = 0..1
        c = 10.0 * (n + 1)
        f = n == 0 ? (__device__ (x) -> x + c) : (__device__ (x) -> x * n)
        parallel_do(size(A), A, f, each)
    endfor
    print A
    % A loop that becomes a kernel.
    v = zeros(6)
    for i = 0..5
        g = mod(i, 2) == 0 ? next : twice
        v[i] = g(i)
    endfor
    print v
endfunction
