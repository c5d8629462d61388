% single: prints the limits of single precision
% What the scalar types hold, and what they become together.
import "inttypes.q"
print maxvalue(scalar'half), " ", maxvalue(scalar'single), " ", maxvalue(scalar'double), " ", minvalue(int64), " ", maxvalue(uint64), " ", maxvalue(uint32)
x : scalar'half = 0.1
print type(x), " ", type(x + 1), " ", type(x + 1.0), " ", type(x * x), x
y : scalar'double = 2
print type(y + 1.0), type(y + x), type(y * 1j)
a : int8'sat = 200
b : int8'unchecked = 200
print a, " ", b
c : int16 = 70
d : int64 = 5
print type(c + c), type(c + d), type(d + 1), type(c + 1.5), type(d / d)
n = 3
print type(2 ^ n), type(2 ^ 3), type(2 ^ -1), 2 ^ n
print type(cast(2.7, int)), cast(2.7, int), " ", cast(3, scalar), type(cast(3, scalar))
print string(3.5) + "|" + tostring([1,2])
print type(uint8(3)), uint8([1.7, 250])
z1 : cvec = [1j, 2]
z2 : cmat = [[1j, 2]]
z3 : ccube = czeros(2,2,2)
z4 : icube{4} = zeros[int](2,2,2,2)
z5 : ccube{4} = czeros(2,2,2,2)
print type(z1), " ", type(z2), " ", type(z3), " ", type(z4), " ", type(z5)
f1 : ivec2 = [1,2]
f2 : cvec4 = [1j,2,3,4]
f3 : cube2x3x2 = zeros(2,3,2)
f4 : cube2x2x2x2 = zeros(2,2,2,2)
f5 : vec[uint8](4) = uint8([1,2,3,4])
f6 : mat[int](3,3) = zeros[int](3,3)
print type(f1), type(f2), type(f3), type(f4), type(f5), type(f6)
print type(zeros(2,2,2), "cube[??]"), type(zeros[int](2,2,2), "cube[??]"), type(zeros[int](2,2,2), "cube")
