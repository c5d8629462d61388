type number : [int|scalar]
function y = f(x : number)
    y = "number"
endfunction
function y = f(x : string)
    y = "text"
endfunction
function y = f(x, z)
    y = "two"
endfunction
print f(1), " ", f(2.5), " ", f("a"), " ", f(1, 2)
