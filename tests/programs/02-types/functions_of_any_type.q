% `function` and the like are functions of any type; cells of functions have typed elements.
function y = twice(x)
    y = 2*x
endfunction
f : function = x -> x + 1
print f(2)
f = twice
print f(2.5)
l : lambda_expr = x -> 3*x
print l(2)
function y = applied(f : function, x)
    y = f(x)
endfunction
print applied(twice, 3), applied(x -> x - 1, 2)
function [] = __kernel__ fill(x : vec, k : scalar, pos : int)
    x[pos] = k
endfunction
x = zeros(2)
k : kernel_function = fill
parallel_do(2, x, 7, k)
print x
typed : [__kernel__ (vec, scalar) -> ()] = fill
parallel_do(2, x, 8, typed)
print x
c : vec[ [int -> int] ] = {x -> x + 1, x -> 2*x}
print c[1](4), " ", numel(c)
for i = 0..1
    print c[i](10)
endfor
function y = all(fs : vec[ [int -> int] ], x : int)
    y = fs[0](x) + fs[1](x)
endfunction
print all(c, 5), " ", all({x -> x, x -> 100*x}, 5)
