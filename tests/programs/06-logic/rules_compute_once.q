% What a rule uses several times is computed once, unless it is no work.
reduction (x : scalar) -> square_of(x) = x*x
reduction (x : scalar) -> clamped(x) = x where x > 0
reduction (x : scalar) -> named(x) = strcat($str(x), "=", tostring(x), "=", tostring(x))
reduction (x : scalar, n : int) -> table(x, n) = tabulate(k -> k*x, n)
reduction (x : scalar) -> again(x) = again(x) + x where x > 0
reduction (A : mat) -> gram(A) = A*transpose(A)
reduction (x : scalar) -> pair(x) = twice(x, x)
function y = clamped(x)
    y = 100 - x
endfunction
function y = again(x)
    y = 1000
endfunction
function y = loud(x)
    print "computed ", x
    y = x + 1.0
endfunction
function [a, b] = twice(x, y)
    a = x
    b = 2*y
endfunction
function v = tabulate(f, n : int)
    v = zeros(n)
    for k = 0..n-1
        v[k] = f(k)
    endfor
endfunction
function y = __device__ smooth(x)
    y = x/(1 + abs(x))
endfunction
function y = sum_of(v : vec)
    y = 0.0
    i = 0
    while square_of(sum(v[0..i])) < 30
        y += square_of(loud(v[i]))
        i += 1
    endwhile
endfunction
function [] = main()
    print square_of(loud(2))
    print square_of(square_of(loud(1)))
    print clamped(loud(3)), " ", clamped(loud(-3))
    print named(loud(4))
    print table(loud(5), 3)
    print again(loud(6))
    a = [[1.0, 2.0], [3.0, 4.0]]
    print gram(a*a)
    f = t -> square_of(loud(t)) + 1
    print f(7), " ", f(8)
    [p, q] = pair(loud(9))
    print p, " ", q
    print sum_of([1, 2, 3, 4])
    x = zeros(4)
    for i = 0..3
        x[i] = square_of(smooth(i))
    endfor
    print x
    parallel_do(4, __kernel__ (pos) -> x[pos] = square_of(smooth(pos)))
    print x
    y = 0 > 1 && square_of(loud(10)) > 3
    print y
    square_of(loud(11))
endfunction
