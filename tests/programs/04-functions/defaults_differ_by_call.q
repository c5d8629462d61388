% A default value is typed anew for each call that uses it.
function [] = show(a, b = a * 2, c = type(b, "scalar"))
    print a, " ", b, " ", c
endfunction
function z = pair(x, y = {x, x})
    z = y[1]
endfunction
function y = inner(x, f = v -> v + x)
    y = f(x)
endfunction
function [] = both()
    show(1)
    show(2.5)
    show([1,2])
    show("text", 3)
    print pair(3), " ", pair([1,2]), " ", pair("a")
    print inner(2), " ", inner([1,2])
endfunction
both()
