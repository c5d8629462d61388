% Arrays that threads make, writes outside under each mode, textures with 'mirror, atomics of both precisions, and exchanges of
% fields and pointers.
function [] = __kernel__ made(y : mat, pos : int)
    t = [1, 2, 3]
    s = zeros(2, 2)
    s[0, 5] = 7
    s[-1, 0] = 7
    y[pos, 0] = t[pos + 2]
    y[pos, 1] = t[-1]
    y[pos, 2] = sum(s)
endfunction
y = zeros(2, 3)
parallel_do(2, y, made)
print y
function [] = __kernel__ outside(c : vec'clamped, r : vec'circular, m : mat'mirror, s : vec'safe, pos : int)
    c[pos + 2] = 5
    r[pos - 2] = 5
    m[-1, 3] = 5
    m[pos, pos + 2] = 5
    s[pos + 2] = 5
    c[pos] = 1
endfunction
c = zeros(2)
r = zeros(2)
m = zeros(2, 2)
s = zeros(2)
parallel_do(2, c, r, m, s, outside)
print c, r, m, s
function [] = __kernel__ strict(x : vec'checked, pos : int)
    x[pos + 1] = 5
endfunction
try
    parallel_do(2, zeros(2), strict)
catch e
    print e.message
endtry
% A texture that is read at its elements is the array.
function [] = __kernel__ both(x : vec'mirror, t : vec'mirror'hwtex_nearest, y : mat, pos : int)
    y[0, pos] = x[pos - 3]
    y[1, pos] = t[pos - 3]
endfunction
y = zeros(2, 10)
parallel_do(10, [0.0, 1, 2, 3], [0.0, 1, 2, 3], y, both)
print y
function [] = __kernel__ add(d : vec[scalar'double], l : vec[int64], pos : int)
    d[0] += 0.25
    d[1] *= 2
    d[2] __= -pos
    l[0] ^^= 3000000000 + pos
    l[1] -= pos
endfunction
d = ones[scalar'double](3)
l = zeros[int64](2)
parallel_do(8, d, l, add)
print d, l
type pair : mutable class
    a : int
    b : scalar
endtype
o = pair(1, 2.5)
print (o.a <- 7), (o.a <- (9, 7)), (o.a <- (1, 3)), o.a, " ", (o.b <- 4.5), " ", o.b
p : ^pair = o
q = p
old = (p <- nullptr)
print old == q, p == nullptr
