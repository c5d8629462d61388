% A function prints as its name, a lambda with its parameters and their types.
function y = twice(x)
    y = 2*x
endfunction
function f = adder(n)
    print "made"
    f = x -> x + n
endfunction
f = x -> 2*x
g = (x : int, y : scalar) -> x + y
print f, " ", twice, " ", g
h = twice
print h
print adder(3), adder(4)(1)
