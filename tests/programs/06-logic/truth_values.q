% What follows from facts, what contradicts them and what stays open.
symbolic a, b, c, d, e
assert(a > 2 && a < 4)
print $check(a>1), " ", $check(a>=2), " ", $check(a>3), " ", $check(a<2), " ", $check(a<=2), " ", $check(a>4), " ", $check(!(a>3)), " ", $check(a<=3)
assert(b == 4)
print $check(b != 5), " ", $check(b == 5)
assert(c == b)
assert(d == c + 1)
print $check(d == 5), " ", $check(d > c)
function [] = ints(n : int, m : int)
    assert(n > 2 && n < 4)
    print $check(n == 3)
    assert(m <= n - 1)
    print $check(m < n), " ", $check(m < 3)
endfunction
ints(3, 1)
symbolic i, N, p, q, r
assert(i <= N-1)
print $check(i < N), " ", $check(i > N)
assert(p > 1 || q > 1)
print $check(p > 0 || q > 0), " ", $check(p <= 1 && q <= 1), " ", $check(p > 1)
assert(!(p > 1))
print $check(q > 1)
print $check(r > 1 || r <= 1), " ", $check(r > 1 && r < 1), " ", $check(r == 1)
assert(even(a) && !odd(a))
print $check(even(a)), " ", $check(odd(a)), " ", $check(even(b)), " ", $check(even(a) || odd(b)), " ", $check(odd(a) && even(a))
v = [1,2,3]
assert(v[1] == 2)
print $check(v[1] < 3), $check(numel(v) == 3), $check(type(v,"ivec")), $check(type(v,"mat[string]"))
assert(a*a > 3)
print $check(a*a > 2)
symbolic x, y, z
assert(x <= y && y <= z)
print $check(x <= z), " ", $check(2*x <= y + z), " ", $check(x < z)
