% Types are values that are compared and printed; tuples of one type are vectors; unions of unions.
t : type = type([1,2])
print t, " ", t == type([3,4]), type(1) == type(1.0), type(mat)
v : vec[{scalar,scalar,scalar}] = [1,2,3]
u : vec3 = v
print type(v), u
type number : [int|scalar]
type whatever : [number|cscalar|string]
function y = twice(x : whatever)
    y = x + x
endfunction
print twice(1), twice(1.5), " ", twice(1j), twice("a")
function y = apply(f : [scalar -> scalar], x : scalar)
    y = f(x)
endfunction
function y : scalar = __device__ half(x : scalar)
    y = x / 2
endfunction
print apply(half, 3)
