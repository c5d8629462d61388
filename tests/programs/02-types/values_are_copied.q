% Numbers, texts, enums and `nullptr` are values; what lies inside of objects is copied into them. Truth values are ints.
print type(true), type(false), type(1 < 2), type(!3), type(1 && 2), type("a" == "b"), true, false, true + true
type color : enum
    Red
    Green
endtype
type box : mutable class
    at : vec2
    c : color
    name : string
    n : int
endtype
type pair : mutable class
    b : box
endtype
function [] = change(n : int, s : string, c : color)
    n = 7
    s = s + "!"
    c = color.Green
    print n, s, c
endfunction
n = 1
s = "a"
c = color.Red
change(n, s, c)
print n, s, c
m = n
m += 1
t = s
t += "b"
d = c
d = color.Green
print n, s, c, " ", m, t, d
p : ^box = nullptr
q = p
q = box([1,2], color.Red, "x", 3)
print p == nullptr, q == nullptr
o = pair(q)
q.n = 9
q.at[0] = 9
q.name = "y"
print o.b.n, o.b.at, o.b.name, o.b.c
