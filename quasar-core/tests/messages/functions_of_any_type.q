function y = twice(x)
    y = 2*x
endfunction
f : function = 3
%              ^ Q0310 expected a function, found 'int'
g : function = twice
g = "text"
c : vec[ [int -> int] ] = {x -> "text", x -> 2*x}
%                               ^ Q0310 expected 'int', found 'string' the declared function type says what 'lambda' gives
d : vec[ [int -> int] ] = {3, x -> 2*x}
%                         ^ Q0310 expected 'vec[ [int->int] ]', found 'vec[{int,function}]'
function y = applied(fs : vec[ [int -> int] ])
    y = fs[0](1)
endfunction
print applied({x -> "text", x -> x})
%                   ^ Q0310 expected 'int', found 'string'
