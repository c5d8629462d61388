function y = twice(x)
    y = 2*x
endfunction
f = twice
print f(4)
ops = {x -> x + 1, x -> 10*x}
print ops[0](5), " ", ops[1](5)
g = true ? twice : sqrt
print g(8)
