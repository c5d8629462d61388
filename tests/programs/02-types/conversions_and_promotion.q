% single: prints numbers of single precision
% Conversions by assignment and by functions, and the type of every mixed operation.
import "inttypes.q"
s : scalar = 3
c : cscalar = s
c2 : cscalar = 3
print s, c, c2
u : uint8 = 200
i : int = u
t : scalar = u
print i, t, type(i), type(t)
w : int16'sat = 40000
print w
j : int = 2.9
k : int = -2.9
print j, k
print int(2.9), int(-2.9), int([2.9,-2.9]), float(3), type(float([1,2])), complex(2), type(complex([1,2])), uint8(7), type(uint8(7)), cast(2.5, int), string(4), tostring([1,2])
% promotion
a8 : int8 = 1
a64 : int64 = 1
u64 : uint64 = 1
u32 : uint32 = 1
hh : scalar'half = 1
ss : scalar'single = 1
dd : scalar'double = 1
print type(a8 + a8), " ", type(a8 + 1), " ", type(a64 + 1), " ", type(u64 + 1), " ", type(u32 + u32), " ", type(1 + hh), " ", type(hh + ss), " ", type(ss + dd), " ", type(dd + 1j), " ", type(hh + 1j), " ", type(1.0 + hh), " ", type(1.0 + dd)
print type(1/9), 1/9, 1/0, 0/0, type(2*3), type(2+3), type(2-3)
n = 2
print type(2^2), type(2^n), type(2^(-1)), 2^n
print type([1,2]*2.5), type([1,2]+1j), type([1.0]+1), type([1,2]*2)
