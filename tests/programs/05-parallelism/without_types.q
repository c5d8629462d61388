% single: prints numbers of single precision
% A program without types: what is called with what gives them.
function [] = __kernel__ sharpen(src, dst, w, pos)
    local_mean = 0.0
    for dy = -1..1
        for dx = -1..1
            local_mean += src[pos + [dy,dx]]
        endfor
    endfor
    dst[pos] = src[pos] + w * (src[pos] - local_mean/9)
endfunction
function result = unsharp(img, w = 0.5)
    result = uninit(size(img))
    parallel_do(size(img), img, result, w, sharpen)
endfunction
function [] = __kernel__ inner(x : vec, k : scalar, pos : int)
    x[pos] += k
endfunction
function [] = __device__ devlaunch(x : vec, k : scalar)
    parallel_do(numel(x), x, k, inner)
endfunction
function [] = __kernel__ outer(x : vec, pos : int)
    devlaunch(x, 1.0)
endfunction
function [] = __kernel__ asserting(x : vec, pos : int)
    assert(x[pos] < 3, "too large")
endfunction
function [] = main()
    print unsharp(ones(4,4))
    x = zeros(3)
    devlaunch(x, 2.0)
    print x
    parallel_do(2, x, outer)
    print x
    f = t -> t * 10
    y = zeros(3)
    parallel_do(3, __kernel__ (pos) -> y[pos] = f(pos))
    print y
    try
        parallel_do(3, x, asserting)
    catch e
        print e.message
    endtry
    A = zeros(1,2,1,1,2,1,1,1,1,2,1,1,1,1,1,2)
    A[0,1,0,0,1,0,0,0,0,1,0,0,0,0,0,1] = 4
    print ndims(A), " ", sum(A), " ", size(A)
    s = "a"
    t = s
    s += "b"
    print t, s
    g = f
    print g(2)
endfunction
