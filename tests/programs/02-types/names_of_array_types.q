% Several names mean one type; modifiers do not matter for what may be used as what.
a : cube{1} = [1.0, 2]
b : cube{2} = [[1.0, 2]]
c : cube{3}[int] = zeros[int](2, 2, 2)
print type(a), " ", type(b), " ", type(c)
print type(a, "vec"), type(b, "mat"), type(c, "icube"), type(c, "cube"), type(c, "cube{:}[int]")
function n = rows(x : mat)
    n = size(x, 0)
endfunction
m : 'mirror = [[1.0], [2], [3]]
k : 'const'circular = m
print rows(m), " ", rows(k), " ", m[-1, 0], " ", k[-1, 0]
% Vectors of fixed size are references too.
function [] = clear(v : vec3)
    v[1] = 0
endfunction
v = [1.0, 2, 3]
clear(v)
print v
% The element type of a mixed operation is the wider one.
print type([1, 2] + 1), " ", type([1, 2] + 0.5), " ", type([1, 2] .* [0.5, 1]), " ", type([1, 2] * 1j)
