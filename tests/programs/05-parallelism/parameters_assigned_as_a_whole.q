% A parameter of a kernel is a variable: another array for its name leaves the array of the caller alone.
function [] = __kernel__ fresh(x : mat, y : mat, pos : ivec2)
    y[pos] = x[pos] + 1
    x = uninit(3, 3)
    x[pos] = 7
    y[pos] += x[pos]
endfunction
function [] = __kernel__ copied(x : mat, y : mat, pos : ivec2)
    x = x[:,:]
    x[0,0] = 5
    y[pos] = x[pos]
endfunction
function [] = __kernel__ renamed(x : mat, y : mat)
    y = x
endfunction
function [] = __kernel__ of_blocks(x : mat, y : mat, pos : ivec2)
    x = shared(3, 3)
    x[pos] = 10 * pos[0] + pos[1]
    syncthreads
    y[pos] = x[pos[1], pos[0]]
endfunction
function [] = main()
    A = ones(3, 3)
    B = zeros(3, 3)
    parallel_do(size(A), A, B, fresh)
    print A
    print B
    parallel_do(size(A), A, B, copied)
    print A
    print B
    parallel_do(size(A), A, B, renamed)
    print B
    parallel_do([[3, 3], [3, 3]], A, B, of_blocks)
    print A
    print B
endfunction
