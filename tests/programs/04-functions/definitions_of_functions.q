% Outputs, defaults, rest parameters, inner functions, recursion and names of functions as values.
function [o1 : int, o2 : vec] = f1(p1 : int, p2 : scalar = 2.5, ...rest)
    o1 = p1 + numel(rest)
    o2 = [p2, numel(rest)]
endfunction
[a,b] = f1(1)
print a, b
[a,b] = f1(1, 2, 3, "x")
print a, b
function x = inout(x)
    x = x + 1
endfunction
print inout(4)
base = 10
function y = dflt(a, b = a * 2, c = a + b + base)
    y = [a,b,c]
endfunction
base = 20
print dflt(1), dflt(1,1), dflt(1,1,1)
calls = [0]
function y = count()
    calls[0] += 1
    y = calls[0]
endfunction
function y = lazy(x = count())
    y = x
endfunction
print lazy(), lazy(), lazy(9), lazy()
function y = vs(...args : vec[int])
    y = numel(args)
    for i = 0..numel(args)-1
        y += args[i]
    endfor
endfunction
print vs(), vs(5), vs(5,6)
function y : scalar = __device__ dv(...args)
    y = numel(args)
endfunction
q = zeros(1)
parallel_do(1, q, __kernel__ (q : vec, pos : int) -> q[pos] = dv(1.0,2.0))
print q
function y = lists(...a)
    y = {a, numel(a)}
endfunction
print lists(1,"b")
function y = nest(x)
    function z = in1(u)
        function t = in2(r)
            t = r + x
        endfunction
        z = in2(u) * 2
    endfunction
    y = in1(x)
endfunction
print nest(3)
function y : int = fib(n : int)
    if n < 2
        y = n
    else
        y = fib(n-1) + fib(n-2)
    endif
endfunction
print fib(10)
function y : int = __device__ dfib(n : int)
    if n < 2
        y = n
    else
        y = dfib(n-1) + dfib(n-2)
    endif
endfunction
parallel_do(1, q, __kernel__ (q : vec, pos : int) -> q[pos] = dfib(7))
print q
fact = n -> n < 2 ? 1 : n * fact(n-1)
print fact(5)
fr = fib
print fr(6)
print dflt
