% Disjunctions, sizes, elements, types and loops as facts.
symbolic i, N, p, q
assert(i <= N - 1)
print $check(i < N), $check(i >= N)
assert(p > 2 || q > 2)
print $check(p > 1 || q > 1), " ", $check(p <= 2 && q <= 2), " ", $check(p > 2)
assert(!(p > 2))
print $check(q > 2)
A = zeros(3,4)
print $check(size(A,0) == 3), $check(numel(A) == 12), $check(size(A,1) > size(A,0))
v = [5,6,7]
assert(v[1] == 6)
print $check(v[1] > 5)
x = 3
print $check(x == 3)
x = x + 1
print $check(x == 4), $check(x == 3)
function [] = f(y)
    assert(type(y, "mat"))
    print $check(type(y, "mat")), " ", type(y)
endfunction
c : cell = {ones(2,2), 1}
f(c[0])
function [] = loops(n : int)
    for i = 2..n
        print $check(i >= 2), $check(i <= n), $check(i > 2)
    endfor
    k = 5
    while k > 3
        print $check(k > 3)
        k -= 1
    endwhile
    print $check(k <= 3), $check(k > 3)
endfunction
loops(2)
