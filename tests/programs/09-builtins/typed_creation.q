a = zeros[int](2)
b = zeros[cscalar](2)
c = vec[int](3)
d = mat(2,2)
e = cube{4}(1,2,2,3)
f = ones[int](2,1)
print a, b, c, d, size(e), f
print czeros(2), size(uninit(2,3)), size(uninit([4,5]))
