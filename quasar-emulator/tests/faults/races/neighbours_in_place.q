% race x 3 3
function [] = __kernel__ smooth(x : vec'safe, pos : int)
    x[pos] = (x[pos - 1] + x[pos + 1]) / 2
endfunction
x = float(0..15)
parallel_do(16, x, smooth)
