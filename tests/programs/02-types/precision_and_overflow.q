% single: prints numbers of single precision
% Limits of the precisions, exact integers, and what happens to numbers that do not fit integers.
print maxvalue(scalar'half), " ", maxvalue(scalar'single), " ", maxvalue(scalar'double)
h : scalar'half = 2048
s : scalar'single = 16777216
d : scalar'double = 9007199254740992
print h + 1 == h, " ", s + 1 == s, " ", d + 1 == d, " ", h - 1 == h, s - 1 == s, d - 1 == d
z : cscalar'double = 1 + 2j
w : cscalar'single = 1 + 2j
print type(z), " ", type(w), " ", type(z * w), type(1j), " ", type(w + 1.0)
e : scalar'single = 1.17549435e-38
print e, " ", e > 0
f : scalar'double = 2.225073858507201e-308
print f > 0
y : mat[uint8'sat] = zeros[uint8](1,3)
y[0,0] = 300
y[0,1] = -5
y[0,2] = 2.9
print y
try
    n : int8 = 127
    n += 1
    print n
catch ex
    print ex.message
endtry
b : int = nan
print b, int(-nan)
c : uint8'sat = inf
g : int'sat = -inf
print c, " ", g
