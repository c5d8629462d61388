% The rule whose types fit best is taken; among equals the first. Operators that commute, and sums of several terms.
function y = __device__ kind(x)
    y = 0
endfunction
reduction (x) -> kind(x) = 10
reduction (x : scalar) -> kind(x) = 11
reduction (x : int) -> kind(x) = 12
reduction (x : vec) -> kind(x) = 13
reduction (x : mat) -> kind(x) = 14
reduction (x : [cscalar|cvec]) -> kind(x) = 15
reduction (x : int) -> kind(x) = 16
reduction () -> kind(0) = 17

function y = __device__ g(x)
    y = x
endfunction
function y = __device__ h(x, z)
    y = x + z
endfunction
reduction (x) -> h(x, x) = 1000
reduction (x : scalar, y : scalar) -> g(x)*y + g(y)*x = 2*g(x)*y + 0.125
reduction (x : scalar) -> max(g(x), 0) = x
reduction (T, A : mat[T], b : vec[T]) -> h(A, b) = cast(2.75, T)
reduction (N, A : mat(N, N)) -> h(A, 1) = N
reduction (x) -> outer(inner(x)) = x + 0.5
reduction (x) -> known(x)[0] = x
reduction (a, b, c) -> pick(a ? b : c) = [a, b, c]

function [] = shadowed()
    g = x -> 3*x
    print g(1.5)*2.5 + g(2.5)*1.5
endfunction

function [] = main()
    print kind(1), " ", kind(1.5), " ", kind([1.0, 2.0]), " ", kind([[1.0], [2.0]]), " ", kind("a"), " ", kind(1i)
    print kind(0), " ", kind(kind(0))
    x = 3.5
    y = 2.5
    print h(x, x), " ", h(x + 1, (x + 1)), " ", h(x, y)
    print g(x)*y + g(y)*x, " ", x*g(y) + y*g(x)
    print 1 + g(x)*y + 100 + g(y)*x
    print max(0, g(x)), " ", max(g(y), 0)
    A = [[1, 2], [3, 4]]
    print h(A, [1, 2]), " ", h([[1.0, 2.0], [3.0, 4.0]], [1.0, 2.0])
    print h(zeros(3, 3), 1)
    print outer(inner(outer(inner(1))))
    print known(4)[0]
    print pick(x > y ? 5 : 6)
    shadowed()
endfunction
