% Host functions for devices together with what they call, and versions of lambdas.
function y = square(x)
    y = x*x
endfunction
function y = factorial(n : int) 
    y : int = 1
    if n > 1
        y = n*factorial(n - 1)
    endif
endfunction
function y = clipped(x : scalar, high : scalar = 10)
    y = min(x, high)
endfunction
function y = __device__ known(x)
    y = x + 0.5
endfunction
function s = energy(x : vec)
    function y = half(t)
        y = t/2
    endfunction
    s = 0.0
    for i = 0..numel(x)-1
        s += clipped(square(x[i])) + half(known(0.5))
    endfor
endfunction
function [] = __kernel__ rows(x : mat, s : vec, pos : int)
    f = $elevate(energy)
    g = $elevate(factorial)
    s[pos] = f(x[pos, :]) + g(pos + 3)
endfunction
function y = applied(f, x : scalar)
    y = f(x)
endfunction
function [] = main()
    x = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    s = zeros(2)
    parallel_do(2, x, s, rows)
    print s, " ", energy(x[0, :])
    line = (a : scalar, x : scalar, b : scalar) -> a*x + b
    twice = $specialize(line, a == 2 && b == 1)
    print twice(3), " ", $specialize(line, x == 3)(1, 2), " ", applied(twice, 4)
    which = (k : int, x) -> k == 0 ? sin(x) : (k == 1 ? x*x : x)
    print $specialize(which, k == 1)(5), " ", $specialize(which, k > 1)(2, 7)
    print $specialize((x, k) -> x + k, k == 1)(2)
    out = zeros(4)
    parallel_do(4, out, $specialize(__kernel__ (y : vec, gain : scalar, pos : int) -> y[pos] = gain*pos, gain == 3.0))
    print out
    apply = (f, x) -> f(f(x))
    print $specialize(apply, f == square)(3)
endfunction
