% Lambdas of every form, and what functions, lambdas and kernels capture.
f = x -> x + 1
g = (x : int, y) -> x * y
h = () -> 7
d = __device__ (x) -> 2 * x
c = x -> y -> x - y
s = (a,b) -> (s = a+b; print(s); s)
print f(1), g(2,3), h(), d(4), c(5)(3), s(1,2)
k = __kernel__ (a, pos) -> a[pos] = 9
z = zeros(2)
parallel_do(2, z, k)
print z
t : [scalar -> scalar] = x -> x/2
u : [(int,int) -> (int,int)] = (a,b) -> {b,a}
[p,q] = u(1,2)
print t(3), p, q
n = 1
arr = [1]
ca = () -> [n, arr[0]]
n = 2
arr[0] = 5
print ca()
G = 1
function y = rd()
    y = G
endfunction
G = 2
print rd()
function y = outer()
    v = 1
    function y = inner()
        y = v
    endfunction
    v = 2
    l = () -> v
    v = 3
    y = [inner(), l()]
endfunction
print outer()
e = 5
asg = x -> (e = x; e)
print asg(1), e
x = [1.0,2]
y = zeros(2)
parallel_do(size(y), __kernel__ (pos) -> y[pos] = 2*x[pos])
print y
function [] = __kernel__ kc(o : vec, pos : int)
    o[pos] = 3 * pos
endfunction
parallel_do(2, y, kc)
print y
hl = a -> a * 100
parallel_do(2, y, __kernel__ (o : vec, pos : int) -> o[pos] = hl(pos))
print y
