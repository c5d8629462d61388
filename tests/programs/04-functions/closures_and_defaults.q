% Defaults, rest parameters, inner functions that call each other, and what closures capture.
c = 10
function y = f(a, b = a + c, d = b * 2)
    y = [a, b, d]
endfunction
print f(1), f(1, 2), f(1, d := 3)
c = 100
print f(1)
function y = outer(k)
    z = k
    function r = inner(a, b = 3)
        r = a + b
    endfunction
    z = 50
    y = inner(1)
endfunction
print outer(5)
function s = sum_all(first, ...rest)
    s = first
    for i = 0..numel(rest)-1
        s += rest[i]
    endfor
endfunction
print sum_all(1), sum_all(1,2,3)
function y : int = deep(n : int)
    function z : int = even(m : int)
        z = m == 0 ? 1 : odd(m - 1)
    endfunction
    function z : int = odd(m : int)
        function q = third(x)
            q = x
        endfunction
        z = m == 0 ? 0 : even(third(m) - 1)
    endfunction
    y = even(n)
endfunction
print deep(4)
fact = n -> n < 2 ? 1 : n * fact(n - 1)
print fact(5)
k = 5
lam = x -> x + k
k = 7
print lam(1)
arr = [1,2]
la = () -> arr[0]
arr[0] = 9
print la()
function y = reads()
    y = k
endfunction
k = 8
print reads()
set = x -> (k = x; k)
print set(3), k
swap : [(scalar, scalar) -> (scalar, scalar)] = (a, b) -> {b, a}
[s1, s2] = swap(1, 2)
print s1, s2
cur : [int -> [int -> int]] = x -> (y -> x * y)
print cur(3)(4)
w = __device__ (x : scalar) -> x + 1
print w(2)
function y = around(k)
    z = k
    function r = inner(a, b = z, c = a + b)
        r = [a, b, c]
    endfunction
    z = 50
    y = [...inner(1), ...inner(1, 2)]
    function r = both(a, b = z + k)
        r = a + b * z
    endfunction
    v = [1.0, 2]
    function r = element(i, w = v[i])
        r = w
    endfunction
    v[1] = 9
    y = [...y, both(1), element(1), element(0, 3)]
endfunction
print around(5)
