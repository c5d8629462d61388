% Imported by modules/kinds.q.
import "shapes.q"
WIDTH = 3
total = 10
type side : enum
    Left = 4
    Right
endtype
type box : mutable class
    width : int
endtype
function y = tripled(x)
    y = WIDTH * x
endfunction
function y = hidden(x) concealed
    y = x
endfunction
function y = open(x)
    y = hidden(x) + area(1, 1)
endfunction
reduction (x : int) -> ruled(x) = x * 100
reduction (x : int) -> area(x, x) = -1
macro [] = show(a)
    print "shown ", a
endmacro
print "inner loaded"
