% race x 3
function [] = __kernel__ shift(x : vec, y : vec, pos : int)
    y[pos + 1] = x[pos]
endfunction
a = zeros(9)
c : vec[vec] = {a, ones(9), a}
parallel_do(8, c[0], c[2], shift)
