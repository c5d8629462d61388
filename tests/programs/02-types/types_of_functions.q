% Functions of any number of values, without value, for devices; results may be more than is declared.
function y = __device__ half(x : scalar)
    y = x / 2
endfunction
function y = apply(f : [scalar -> scalar], x : scalar)
    y = f(x)
endfunction
function [] = run(f : [int -> ()], n : int)
    f(n)
endfunction
function y = both(f : [__device__ scalar -> scalar])
    y = f(1) + f(2)
endfunction
print apply(half, 3), " ", both(half)
run(n -> print("n is ", n), 3)
g : [int -> int -> int] = x -> y -> 10 * x + y
print g(1)(2)
h : [(scalar, scalar) -> (scalar, scalar)] = (a, b) -> {b, a}
[p, q] = h(1, 2)
print p, " ", q
