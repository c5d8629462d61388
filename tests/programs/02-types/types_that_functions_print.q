% Functions whose parameters have types print what they take and give, those of the library their names.
f = (x : int) -> x + 1
g = (x : int, y : vec) -> y * x
h : vec[[int -> int]] = {(x : int) -> x, (x : int) -> x * 2}
print type(f), " ", type(g), " ", type(h), " ", type({f, f}), " ", type(x -> x), " ", type({f, 1})
function [a : int, b : string] = two(x : scalar)
    a = 1
    b = "x"
endfunction
function [] = none(x : scalar)
    print x
endfunction
print type(two), " ", type(none), " ", type(__device__ (x : vec2) -> x[0])
print sin, " ", f
