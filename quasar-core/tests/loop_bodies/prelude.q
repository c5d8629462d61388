type pixel : mutable class
    value : scalar
    count : int
endtype
type model : mutable class
    gain : scalar
    taps : vec
endtype
function y : mat = normalised(a : mat)
    y = a - mean(mean(a,0),1)
endfunction
function y : scalar = energy(v : vec)
    y = sum(v.*v)
endfunction
function y = rounded(a : scalar)
    y = floor(a + 0.5)
endfunction
function [] = __device__ put(y : vec, k : int, value : scalar)
    y[k] = value
endfunction
