% bounds x 5
function [] = __kernel__ k(x : vec'unchecked, y : vec, pos : int)
    s = 0.0
    for n = -1..1
        s += x[pos + n]
    endfor
    y[pos] = s
endfunction
parallel_do(8, float(0..7), zeros(8), k)
