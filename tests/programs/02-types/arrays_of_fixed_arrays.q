% Arrays of arrays of known sizes begin with zeros, each with its own; arrays of arrays of other sizes with nothing.
v = vec[vec3](2)
print v
v[0][1] = 5
print v
m = mat[ivec2](2,2)
m[1,0][1] = 4
print m[1,0], m[0,0]
function n = made(k : int)
  w = vec[mat2x2](k)
  for i = 0..k-1
    w[i][0,0] = i
  endfor
  n = w
endfunction
r = made(3)
print r[2], r[1][0,0], r[0][0,0]
type pts : vec[vec2]
p = pts(2)
print p
print vec[vec](2)
function [] = __kernel__ k(x : vec[vec3], y : vec, pos : int)
  y[pos] = x[pos][1]
endfunction
y = zeros(2)
parallel_do(2, v, y, k)
print y
print vec[vec3](0), " ", type(v)
