% slices by steps in both directions, whole ones that are copied and ones that are stored to
x = reshape(0..23, [4,6])
print x[3..-1..0, 0]
print x[3..-2..0, 5..-3..0]
print x[1, 4..-1..2]
y = x[:, 5..-1..0]
y[0, :] = 7
y[1..2..3, 4..-2..0] = -1
print y
z = zeros(4,6)
z[3..-1..0, :] = x
z[:, 1] = x[:, 0]
z[2, 5..-1..0] = x[2, :]
print z
v = 0..9
print v[9..-1..0], v[8..-3..0], v[3..-1..4]
v[9..-1..5] = v[0..4]
print v
u = uint8(x)
u[0..1, 0..2] = 200
u[3, 0..2..4] = uint8([1,2,3])
print u[0, :], u[3, :]
c = complex(x[0..1, 0..1], x[2..3, 0..1])
c[1, :] = complex(1, -1)
c[0, 1..-1..0] = c[0, :]
print c
m = x > 3
m[1, :] = 0
print sum(m)
function [] = outside(i : int, x : mat)
    try
        x[i..-1..0, 0] = 1
    catch e
        print "outside: ", e
    endtry
endfunction
outside(4, copy(x))
% long ones are copied by threads
a = reshape(mod(0..99999, 1000), [250, 400])
b = a[249..-1..0, 399..-1..0]
print sum(abs(b[249..-1..0, 399..-1..0] - a)), b[0,0], b[249,399], b[3,5]
w = mod(0..199999, 1009)
print sum(w[199999..-1..0]), sum(w[0..2..199998]), (w[199999..-3..1])[7]
% stored to where a kernel left them
d = 2*a + 1
d[0, :] = 5
d[1..2..249, 399..-1..0] = a[0..124, :]
d[:, 7] = d[:, 8]
d[249..-2..200, 3] = 0
print d[0,0], d[1,399], d[3,0], d[2,7], d[201,3], d[200,3], sum(mod(d, 16))
