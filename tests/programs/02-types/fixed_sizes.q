function y : vec3 = scaled(x : vec3, k : scalar)
    y = k*x
endfunction
a : vec3 = [1,2,3]
print scaled(a, 2.0)
b : mat2x3 = [[1,2,3],[4,5,6]]
print size(b), " ", b[1,2]
