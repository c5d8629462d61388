% device functions with closures, kernels given functions, kernels chosen at run time
function y = __device__ smooth(x : mat'mirror, p : ivec2, r : int)
    y = 0.0
    for dy = -r..r
        for dx = -r..r
            y += x[p[0]+dy, p[1]+dx]
        endfor
    endfor
    y /= (2*r+1)^2
endfunction
function [] = __kernel__ map(x : mat, y : mat, f : [__device__ scalar -> scalar], pos : ivec2)
    y[pos] = f(x[pos])
endfunction
function [] = __kernel__ edges(x : mat'clamped, y : mat, pos : ivec2)
    dx = x[pos + [0,1]] - x[pos - [0,1]]
    dy = x[pos + [1,0]] - x[pos - [1,0]]
    if abs(dx) > abs(dy)
        y[pos] = dx
    elseif dy == 0
        y[pos] = -1
    else
        y[pos] = dy
    endif
endfunction
function [] = __kernel__ means(x : mat, y : mat, pos : ivec2)
    y[pos] = smooth(x, pos, 1)
endfunction
function [] = main()
    x = reshape(mod((0..29)*11, 17), [5,6])*1.0
    y = zeros(5,6)
    k = 3.0
    parallel_do(size(x), x, y, __device__ (v) -> v*k + 1, map)
    print y[2,:]
    parallel_do(size(x), x, y, __device__ (v) -> v > 8 ? 1.0 : 0.0, map)
    print sum(y)
    parallel_do(size(x), x, y, edges)
    print y
    parallel_do(size(x), x, y, means)
    print round(y*9)
    parallel_do(size(y), __kernel__ (pos : ivec2) -> y[pos] = pos[0]*10 + pos[1])
    print y[4,5]
    for which = 0..1
        f = which == 0 ? edges : means
        parallel_do(size(x), x, y, f)
        print round(sum(y))
    endfor
    z = zeros(3)
    parallel_do(3, z, __kernel__ (a, pos) -> a[pos] = sin(pos) > 0)
    print z
    serial_do(3, z, __kernel__ (a, pos) -> a[pos] += pos > 0 ? a[pos-1] : 10)
    print z
    h = zeros[int](4)
    parallel_do([5,6], x, h, __kernel__ (a : mat, b : vec[int], pos : ivec2) -> b[mod(int(a[pos]), 4)] += 1)
    print h
    m = zeros(1)
    parallel_do([5,6], x, m, __kernel__ (a : mat, b : vec, pos : ivec2) -> b[0] ^^= a[pos])
    print m
endfunction
