% What the compiler knows and says of expressions.
symbolic a, b
assert(a > 2 && a < 4)
print $check(a > 1), " ", $check(a >= 2), " ", $check(a > 3), " ", $check(a < 2), " ", $check(a <= 2), " ", $check(a > 4)
print $check(!(a > 3)), " ", $check(a <= 3)
assert(b == a + 1)
print $check(b > 3), " ", $check(2 * b > 6 && b < 5), " ", $check(b > 4 || a <= 3), " ", $check(b != a)
unassert(b == a + 1)
print $check(b > 3)
function [] = tell(n : int)
    assert(0 <= n && n < 10)
    print $check(n <= 9), " ", $check(n == 3), " ", $check(n > 9), " ", $ubound(n), " ", $ubound(2 * n + 1)
    if n > 7
        print $check(n >= 8), " ", $check(n == 9)
    endif
    m = n + 1
    print $check(m == n + 1), " ", $check(m > 0)
end
tell(8)
print $ubound(a), " ", $ubound(b)
print $str((p + q) * 2), " ", $str(f(x, [1, 2])), " ", $str(a && !b)
print $eval(sqrt(16) / 2), " ", $eval(2 + 3 * 4)
x = 5.5
y = 2
print $nops(x + y), " ", $nops(max(x, y, 3)), " ", $nops(x), " ", $nops(-x)
print $op(x + y, 0), " ", $op(max(x, 2 * y), 1)
print $simplify(y == 2 || x > 100)
% Kernels ask too; what decides is known when they are compiled.
function [] = __kernel__ shift(x : vec, n : int, pos : int)
    assert(0 <= n && n < 4)
    if $check(n < 5) == "Valid"
        x[pos] = $op(pos + n, 1)
    else
        x[pos] = -1
    endif
end
v = zeros(3)
parallel_do(3, v, 2, shift)
print v, " ", $str(v[0] + "a  b") != "v"
% What is only asked about is not done.
w = 1
print $check(w = 7), " ", $eval(w = 3), " ", w
for i = 0..2
    print $check(i < 3)
end
print $ubound(numel(v)), " ", $check(size(v, 0) == 3), " ", "Valid" == $check(w == 1)
