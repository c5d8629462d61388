% race x 3
function [] = __kernel__ shift(x : vec, y : vec, pos : int)
    y[pos + 1] = x[pos]
endfunction
type holder : mutable class
    data : vec
endtype
a = zeros(9)
h = holder(data:=a)
parallel_do(8, h.data, a, shift)
