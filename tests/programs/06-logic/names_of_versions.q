% Versions with texture modes and known arrays; equal constraints give one version, whose name says so.
function [] = __kernel__ flt(x : mat, y : mat, a : vec, dir : ivec, pos : ivec2)
    y[pos] = a[0]*x[pos] + a[2]*x[pos + dir]
endfunction
function y = scaled(x : scalar, k : int)
    y = x*k
endfunction
y = zeros(2,3)
im = [[1.0,2,3],[4,5,6]]
g = $specialize(flt, type(x,mat'hwtex_nearest) && a==[1,2,1] && dir==[0,1])
parallel_do(size(y), im, y, g)
print y
parallel_do(size(y), im, y, $specialize(flt, type(x,mat'hwtex_nearest) && a==[1,2,1] && dir==[0,1]))
print y
a = $specialize(scaled, k == 3)
b = $specialize(scaled, k == 3)
c = $specialize(scaled, k == 1)
print a == b, a == c, " ", a, " ", b, " ", c
