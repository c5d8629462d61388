% A function type needs no brackets of its own as an argument of an array type.
v : vec[int -> int] = {x -> x + 2, x -> 3*x}
w : vec[[int -> int]] = v
print v[0](5), " ", w[1](5)
p : vec[(scalar, scalar) -> scalar] = {(a,b) -> a - b}
print p[0](5, 3)
u : vec[?? -> ??] = {x -> x + 1, x -> [x,x]}
print u[0](1), " ", u[1](1)
function y = all_of(f : vec[scalar -> scalar], x : scalar)
    y = x
    for k = 0..numel(f)-1
        y = f[k](y)
    endfor
endfunction
print all_of({x -> x + 1, x -> 2*x}, 3)
function [] = show(...args)
    print ...args, " and ", numel(args)
endfunction
show(1, "two", [3,4])
