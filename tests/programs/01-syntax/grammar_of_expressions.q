% Forms of expressions: how operators nest, sequences and checks in parentheses, empty arrays and cells, lambdas, targets, indices, numbers.
print 2^3^2, " ", -2^2, " ", 2^-1, " ", 10 - 2 - 3, " ", 2^-2^2, " ", !0 + 1, " ", - + -3, " ", 12/2/3
print 1 ? 0 ? "a" : "b" : "c", (0 ? "a" : 0 ? "b" : "c")
print (3 : int; 4), " ", (1; 2;), " ", (x = 2; y = 3; x * y)
a = b = 0
a += b += 2
print a, b
print {}, numel({}), " ", [], numel([]), type([])
f = __device__ x -> x + 1
g = (a, b) -> (s = a+b; print(s); s)
h = x -> y -> x + y
print f(1), g(1, 2), h(1)(2)
[_, u : int, v] = {1, 2, 3}
z : 'const = 3
w : mat
w = [[1,2]]
print u, v, z, type(w), w[0,1]
t = zeros(3)
k = p -> t[p] = p * 2
print k(2), t
A = [[1,2],[3,4]]
at = [1,0]
print A[...at], A[1,:], A[1,0..1]
print cast(2.5, int), maxvalue(int8)
print [1, 2,
    3][
    0], {4,
    5}[1]
% Numbers.
print 1E+3, " ", 1.e2, " ", 5.*2, " ", 0Eh, " ", 0E5h, " ", 00E5h, " ", 10b + 7o, " ", 1.5e3i
print type(11b), type(7o), type(0Fh), " ", type(1.5e3i)
n = 3000000000
m : scalar'double = 3000000000
print type(n), n, " ", type([3000000000, 1]), " ", m, " ", type(99999999999999999999) == type(1.5)
% Assignments of minimum and maximum.
c = [1,2,3]
d = c[0]__=0
e = 5
e ^^= 7
e __= 6
e__ = 1
print c, d, e, e__
