{!author name="x"}
% Forms of definitions and statements: enums with commas, restricted type parameters, classes without fields of their own, kinds
% of functions, modifiers of outputs and parameters, `catch` and `print` alone, rules without variables.
type kind : enum
    A, B = 3
    C, D
endtype
type base[T : [int|scalar]] : mutable class
    a : T
endtype
type derived : base[int]
endtype
print "enum: ", kind.A + 0, kind.B + 0, kind.C + 0, kind.D + 0
print "no fields: ", derived(3), " ", type(derived(3)), type(base[int](1), "derived")
function [] shout(x)
    print x, "!"
endfunction
shout(1)
function [a : int, b : 'circular] = __host__ two(x : 'mirror'const, k : int = 3)
    a = int(x[-1])
    b = [x[0], x[1], k]
    print b[-1]
endfunction
[p, q] = two([7,8])
print p, q
try
    error "x", 1
catch
    print "caught"
endtry
try
    error "y", 2
catch e : qexception
    print e.message
endtry
print
print "a", "b"
repeat
    p -= 1
until p < 0
print p
reduction () -> answer(1) = 42
reduction -> answer(2) = 43
reduction x : vec -> answer(x) = numel(x)
print answer(1), " ", answer(2), " ", answer([1.0,2])
if p < 0
    type pairs : vec[int](2)
    reduction (x : int) -> answer(x) = -x
    u : pairs = [1, 2]
    function y = sum_of(v : pairs)
        y = v[0] + v[1]
    endfunction
    print sum_of(u), " ", answer(5)
endif
