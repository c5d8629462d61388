% Enums and arrays of them, pointers and arrays of pointers, objects, typed cells, and special parameters between the others.
type colour : enum
    Red
    Green = 4
endtype
type point : mutable class
    x : int
endtype
function [] = __kernel__ k(cs : vec[colour], one : colour, p : ^point, ps : vec[^point], pos : int, y : vec, blkpos : int, n : int)
    y[pos] = cs[pos] + 10 * one + 100 * n
    p.x += 1
    if ps[pos] != nullptr
        ps[pos].x += 5
    endif
endfunction
p = point(1)
other = point(2)
q : ^point = p
ps = vec[^point](3)
ps[1] = other
ps[2] = other
y = zeros(3)
cs = vec[colour](3)
cs[0] = colour.Green
cs[2] = colour.Green
parallel_do(3, cs, colour.Green, q, ps, y, 7, k)
print y, " ", p, other, " ", ps[0] == nullptr
