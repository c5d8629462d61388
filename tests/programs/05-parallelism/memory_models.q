% Where the memory of arrays that threads make comes from: all of it from the host, or from what the launch has.
function [] = __kernel__ large(y : vec, n : int, pos : int)
    {!kernel memorymodel="cooperative"}
    w = ones(n, n)
    w[pos,:] = w[:,pos] + pos
    y[pos] = sum(w)
endfunction

function [] = __kernel__ small(x : vec, y : vec, n : int, pos : int)
    {!kernel memorymodel="concurrent"}
    other = x
    w = other[0..n-1] + pos
    y[pos] = sum(w)
endfunction

function [] = main()
    y = zeros(5)
    parallel_do(5, y, 200, large)
    print y
    parallel_do(5, [1.0, 2, 3, 4], y, 3, small)
    print y
endfunction
