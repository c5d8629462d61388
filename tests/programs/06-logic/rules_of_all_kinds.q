% Conditions of rules that the run decides, any number of arguments, chains of sums, method calls, rules with an arrow.
function y = id(x)
    y = x
endfunction
reduction (x : int) -> id(x) = x + 100
reduction (x, y) -> id(x) + id(y) = x * y
reduction x -> foo(x) -> x * 2
print id(2), " ", id(2.5) + id(3.5), foo(4)
reduction (x : vec, y) -> x.bar(y) = sum(x) + y
print [1.0,2].bar(3)
function y = __device__ f(x)
    y = x
endfunction
reduction (x : scalar) -> f(x) = 1.0 where x > 10
reduction (x : scalar) -> f(x) = 2.0 where x < 0
function y = g(x : scalar)
    y = f(x)
endfunction
print g(20), g(-1), g(5)
h1 = t -> t + 1
h2 = t -> t * 2
reduction (...a) -> myprint(...a) = numel({...a})
print myprint(1,"x",3)
reduction (a : int, b : int, c : int) -> tri(a + b + c) = a * 100 + b * 10 + c
p = 1
q = 2
r = 3
print tri(p + q + r)
reduction (x : [cscalar|cvec]) -> kind(x) = "complex"
reduction (x) -> kind(x) = "other"
print kind(1j), kind("a")
reduction (x : mat) -> real(ifft2(x)) = x + 1
print real(ifft2(ones(2,2)))
reduction (a, b) -> both(a && b) = 1
print both(p == 1 && q == 2)
reduction (x : int) -> nest(nest(x)) = x
print nest(nest(4))
