% Compound assignments and exchanges with their values, atomic ones, and arguments of calls.
n = 3
print (n += 1), (n -= 2), (n *= 5), (n ^= 2), n
z = 8.0
print (z /= 4), (z ./= 2), (z .*= 6), (z .^= 2)
b = 12
print (b &= 10), (b |= 3), (b ~= 1), (b ^^= 99), (b __= 7)
A = [1,2]
B = A
A += [1,1]
print B
A = A + 1
print A, B
o = (n <- 7)
print o, n
o = (n <- (9, 7))
print o, n
o = (n <- (5, 7))
print o, n
f = 2.5
f ^^= 3.5
f __= 1.5
print f
h = zeros[int](1)
fl = zeros(4)
cz = czeros(1)
i64 = zeros[int64](1)
function [] = __kernel__ at(h : ivec, fl : vec, cz : cvec, i64 : vec[int64], pos : int)
    h[0] += 1
    fl[0] += 0.5
    fl[1] ^^= pos
    fl[2] __= -pos
    cz[0] += 1j
    i64[0] += 1
    fl[2..3] += [1,1]
endfunction
parallel_do(100, h, fl, cz, i64, at)
print h, fl[1], " ", fl[3], cz, i64
function y = g(a, b = 2, c = 3)
    y = [a,b,c]
endfunction
print g(1), g(1,5), g(1, c := 9), g(...[1,2,3]), g(1, ...{c:=7, zzz:=3})
function [p,q] = two()
    p = 1
    q = 2
endfunction
print g(...two())
function y = sd(x)
    print "e", x
    y = x
endfunction
v = [0,0,0]
v[sd(1)] = sd(2) + sd(3)
print g(sd(1), sd(2), sd(3))
