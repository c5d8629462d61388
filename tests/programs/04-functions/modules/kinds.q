% Functions, types, rules, macros and variables of a module are seen where it is imported, and not beyond: `area` is here a
% function of this module alone, although what is imported imports another one.
import "inner.q"
function y = area(x, y)
    y = "own"
endfunction
function y = hidden(x)
    y = "not the concealed one"
endfunction
print tripled(2), " ", open(3), " ", total, " ", side.Right, " ", box(7), " ", ruled(2), " ", hidden(1), " ", area("a", 1)
!show 5
function y = SIDES()
    y = "a name that is free here"
endfunction
print SIDES()
