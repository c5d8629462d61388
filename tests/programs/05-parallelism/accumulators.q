% Accumulators of every operator, loops over triangles, and loops that read what they write.
x = [1.0,2,3,4]
n = 0
{!parallel for; dim=1}
for i = 0..3
    for j = 0..1
        x[i] = x[i] + j
    endfor
endfor
print x
s = 0.0
p = 1.0
b = 255
o = 0
xo = 0
mx = -10
mn = 10
z = 0j
for i = 0..3
    s -= x[i]
    p *= 2
    b &= 254 - i
    o |= i
    xo ~= i
    mx ^^= i
    mn __= i
    z += 1j * i
endfor
print s, " ", p, " ", b, " ", o, " ", xo, " ", mx, " ", mn, " ", z
c = zeros(2)
v = zeros(3)
for i = 0..9
    c[1] += i
    v += [1, 2, i]
endfor
print c, v
for i = 0..3
    for j = 0..i
        x[i] = x[i] + 1
    endfor
endfor
print x
f = a -> a * 2
g = (m, n) -> (for_me = m + n; for_me)
y = zeros(4)
for i = 0..3
    y[i] = f(x[i]) + g(i, 1)
endfor
print y
t = zeros(5)
for i = 0..3
    t[i] = t[i+1] + 1
endfor
print t
q = zeros(10)
for i = 0..4
    q[2*i] = q[2*i+1] + i
endfor
print q
x = zeros(4)
{!parallel for}
for i = 0..3
    own = i * 2
    x[i] = own
endfor
print x
m = zeros(3,4)
for i = 0..2
    for j = i..3
        m[i,j] = i + j
    endfor
endfor
print m
#pragma loop_parallelizer(off)
for i = 0..3
    x[i] += 1
endfor
#pragma loop_parallelizer(on)
for i = 0..3
    x[i] += 1
endfor
print x
count = 0
for i = 0..3
    if x[i] > 3
        count += 1
    endif
endfor
print count
later = 10
for i = 0..3
    later = i * 3
    x[i] = later
endfor
print later, x
a = zeros(3)
b = a
for i = 1..2
    a[i] = b[i-1] + 1
endfor
print a
