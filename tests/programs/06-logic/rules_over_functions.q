% An operator over functions, applied: the rule that distributes it is not circular, and one with another right-hand side sees
% it as it is written and as a difference of two values.
reduction (f, g, x) -> (f - g)(x) = f(x) - g(x)
reduction (f, g, x) -> (f .* g)(x) = f(x) .* g(x)
reduction (f, x) -> (-f)(x) = -f(x)
function y = square(x)
    y = x .* x
endfunction
function y = apart(f, g, x)
    y = abs(f(x) - g(x))
endfunction
function [] = distance(a, b)
    reduction (f, g, x) -> (f + g)(x) = apart(f, g, x)
    f = x -> x + 1
    print (f + square)(a), " ", (square + f)(b)
endfunction
twice = x -> 2 * x
print (square - twice)(5), " ", (twice - square)([1,2,3])
print (square .* twice)(3), " ", (-square)(4)
print (square - (x -> x + 1))(10)
distance(3, 4)
v = [3,4] - [1,1]
print v
