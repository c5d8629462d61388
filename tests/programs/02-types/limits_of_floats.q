% single: prints numbers of single precision
% Significands, largest and smallest numbers of the three precisions, ranges of all integers.
h : scalar'half = 1
eh : scalar'half = 0.0009765625
print h + eh == h, h + eh/2 == h, " ", type(h + eh)
s : scalar'single = 1
print s + 1/8388608 == s, s + 1/16777216 == s
d : scalar'double = 1
ed : scalar'double = 2.220446049250313e-16
print d + ed == d, d + ed/2 == d
ms : scalar'single = 3.40282347e38
md : scalar'double = 1.797693134862316e308
mh : scalar'half = 65504
print ms == maxvalue(scalar'single), " ", mh == maxvalue(scalar'half), " ", isinf(2*ms), isinf(2*md), isinf(mh + mh)
third : scalar'half = 1
third = third / 3
print third, " ", third + third, " ", third * 3
print minvalue(int8), maxvalue(int8), " ", minvalue(int16), maxvalue(int16), " ", minvalue(int32), maxvalue(int32), " ", minvalue(int64), maxvalue(int64)
print minvalue(uint8), maxvalue(uint8), " ", minvalue(uint16), maxvalue(uint16), " ", minvalue(uint32), maxvalue(uint32), " ", minvalue(uint64), maxvalue(uint64), " ", type(minvalue(int32))
