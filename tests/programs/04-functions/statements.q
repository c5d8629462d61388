% Loops over sequences of floats, matches of any type, enums as numbers, several targets.
function y = f(x)
    y = x
endfunction
f = 3
print f
for k = [1.5, 2.5]
    print k
endfor
for k = 0.5..0.5..1.5
    print type(k), k
endfor
for k = 0..1.0
    print type(k)
endfor
print k
match 2.0 with
| 2 -> print "promoted"
endmatch
match "a" with
| 1 -> print "never"
| ("b", 2, "a") -> print "mixed"
endmatch
match 5 with
| 1 -> print "never"
endmatch
print "nothing"
type mode : enum
    Fast
    Slow = 7
    Other
endtype
m = mode.Other
match m with
| Fast -> print "fast"
| (Slow, Other) -> print "slow or other"
endmatch
print mode.Fast + 0, mode.Other + 0, m == 8, m != mode.Slow, " ", m
function [] = __kernel__ ek(y : ivec, m : mode, pos : int)
    if m == mode.Other
        y[pos] = m
    endif
endfunction
y = zeros[int](2)
parallel_do(2, y, m, ek)
print y
error_count = 0
try
    error("a", 1, [1,2], " ", 2.5)
catch ex : qexception
    print ex.message
endtry
function [o1 : scalar, o2] = multi(a)
    o1 = a
    o2 = a + 1
endfunction
[a, b] = multi(1)
print a, b, type(a)
[p, q] = [1, 2.5]
print p, q
[h, w] = size(zeros(2,3))
print h, w
[e1, e2] = {1, "x"}
print e1, e2
