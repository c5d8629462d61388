f : [int -> int] = (x, y) -> x
%                  ^ Q0310 expected '[int->int]', found a function that takes 2 arguments: lambda(x, y)
g : [scalar -> scalar] = 3
%                        ^ Q0310 expected '[scalar->scalar]', found 'int'
m : mat(2,2) = zeros(3,3)
%              ^ Q0310 expected 'mat(2,2)', found 'mat(3,3)'
function y = h(x : [int|scalar])
    y = x
endfunction
print f(1), g, m, h("text")
%                   ^ Q0324 argument 'x' of 'h' must be '[int|scalar]', found 'string'
