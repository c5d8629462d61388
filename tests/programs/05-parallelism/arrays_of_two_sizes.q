% A variable of a thread that holds a matrix of two rows first, and one of any size later.
function y : ivec = __device__ filled(n : int)
    y = zeros[int](n)
    for k = 0..n-1
        y[k] = mod(12 + k, 101)
    endfor
endfunction
function [] = __kernel__ stacked(c : int, dst : imat, pos : ivec2)
    n = mod(c + pos[0], 5) + 1
    w = filled(n)
    w = w + mod(18, 101)
    u = [w, w]
    w = u[1,0..n-1]
    s = sum(u)
    for k = 0..n-1
        u = filled(k + 1)
        if u[k] > mod(13, 101)
            w[k] = u[0]
        endif
    endfor
    dst[pos] = sum(w) + s + sum(u)
endfunction
function [] = main()
    b = zeros[int](3, 4)
    parallel_do(size(b), 3, b, stacked)
    print b
endfunction
