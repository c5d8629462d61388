% Calls may be nested 10000 deep, whatever is called; more is an error that can be caught.
type node : class
    label : int
    next : ^node
endtype
function y : int = depth(self : node, n : int)
    y = n
    if n > 0
        y = self.depth(n - 1) + 1
    endif
endfunction
function y : int = down(n : int)
    y = 0
    if n > 0
        y = down(n - 1) + 1
    endif
endfunction
function y : int = even(n : int)
    y = 1
    if n > 0
        y = odd(n - 1)
    endif
endfunction
function y : int = odd(n : int)
    y = 0
    if n > 0
        y = even(n - 1)
    endif
endfunction
function y = generic(n, step)
    y = n
    if n > 0
        y = generic(n - step, step)
    endif
endfunction
function [a : int, b : int] = two(n : int)
    a = n
    b = 0
    if n > 0
        [b, a] = two(n - 1)
        b = b + 1
    endif
endfunction
function y : int = with_array(x : vec, n : int)
    y = 0
    if n > 0
        x[0] += 1
        y = with_array(x + 0, n - 1) + 1
    endif
endfunction
function y : ?? = by_value(f : ??, n : ??)
    y = n
    if n > 0
        y = f(f, n - 1)
    endif
endfunction
function y : int = __device__ in_kernel(n : int)
    y = 1
    if n > 1
        y = in_kernel(n - 1) + 1
    endif
endfunction
function y : int = caught_inside(n : int)
    y = 0
    try
        y = caught_inside(n + 1)
    catch e : qsystemexception
        y = n
    endtry
endfunction
function [] = told(what : string, depth : int, run : [int -> int])
    try
        print(what, ": ", run(depth))
    catch e : qsystemexception
        print(what, ": ", e)
    endtry
endfunction
function [] = main()
    obj = node()
    fall = n -> n > 0 ? fall(n - 1) : 0
    for n = [100, 9000, 20000]
        told("direct", n, k -> down(k))
        told("mutual", n, k -> even(k))
        told("generic", n, k -> int(generic(k, 1)))
        told("method", n, k -> obj.depth(k))
        told("results", n, k -> two(k))
        told("value", n, k -> int(by_value(by_value, k)))
        told("lambda", n, k -> int(fall(k)))
    endfor
    print(with_array(zeros(4), 3000))
    print(caught_inside(0))
    x = zeros(3)
    try
        parallel_do(size(x), x, __kernel__ (x : vec, pos : int) -> x[pos] = in_kernel(100 * pos))
        print(x)
        parallel_do(size(x), x, __kernel__ (x : vec, pos : int) -> x[pos] = in_kernel(20000 + pos))
    catch e : qsystemexception
        print("kernel: too deep")
    endtry
    print(down(9999))
endfunction
