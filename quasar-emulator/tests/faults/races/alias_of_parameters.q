% race x 3
function [] = __kernel__ shift(x : vec, y : vec, pos : int)
    y[pos + 1] = x[pos]
endfunction
function [] = work(p : vec, q : vec)
    parallel_do(8, p, q, shift)
endfunction
a = zeros(9)
work(a, a)
