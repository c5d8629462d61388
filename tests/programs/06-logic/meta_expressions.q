% Meta functions that give expressions, and predicates that only assertions speak of.
function y = scaled(x : scalar, k : int)
    y = x*k
end
function [] = known(v : int, w : int)
    assert(0 <= v && v < 10)
    print $str($assump(v))
    assert($subs(v=w, $assump(v)))
    print $check(w >= 0), " ", $check(w < 10), " ", $check(w < 9)
    print $str($assump(w))
    print $str($simplify(v < 20 && w > 3)), " ", $str($simplify((v >= 0) || w > 3)), " ", $str($simplify(v + 0*1))
    assert(v == 7)
    print $str($simplify(1*w + v)), " ", $simplify(v + 1)
    w = 100
    print $str($assump(w))
end
function y = __device__ picked(x : scalar)
    y = $subs(x=2*x, x + 1)
end
symbolic a, b, c
print $str($assump(a))
assert(a == 4)
print $str($assump(a))
assert(b > 2 && b < a)
print $str($assump(b))
assert($subs(b=c, $assump(b)))
print $check(c > 1), " ", $check(c < 4), " ", $check(c < 3)
assert(smooth(a, b) && !smooth(b, a))
print $check(smooth(a, b)), " ", $check(smooth(b, a)), " ", $check(smooth(a, c)), " ", $check(smooth(a, b + 1 - 1))
print $check(smooth(c, c) || !smooth(c, c)), " ", $check(!smooth(a, b) && rough(a)), " ", $check(rough(a))
unassert(smooth(a, b))
print $check(smooth(a, b)), " ", $str($assump(c))
p = 3
q = 4
print $subs(p=q, p*p), " ", $subs(p=q, q=p, p - q), " ", $subs(p=p + q, p*2), " ", $str($subs(p=p + q, p*2))
print $str($subs(x=1, x -> x + y)), " ", $str($subs(y=1, x -> x + y))
print $str($args[in](scaled)), " ", $str($args[out](scaled)), " ", $nops($subs(p=q, max(p, q, 3)))
x = 2.5
k = 2
print $args[in](scaled), " ", $op($subs(x=k, scaled(x, k)), 0)
f = t -> t*t + k
print $inline(f(x)), " ", $inline((t -> t + t)(x)), " ", $inline(scaled(x, 3))
known(7, 4)
v = zeros(3)
parallel_do(3, v, __kernel__ (v : vec, pos : int) -> v[pos] = picked(pos) + $subs(z=pos, z*z))
print v
total = 0
for i = 0..3
    total += $subs(n=i, n*10)
end
print total
