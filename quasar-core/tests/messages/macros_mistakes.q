    macro [x] = out(a)
%          ^ Q0620 the macro 'out' cannot have outputs
        x = 3
    endmacro
    macro [] = rec(a)
        !rec a
    endmacro
    macro [] = two(a, b)
        print a + nosuch(b)
    endmacro
    macro [] = vari(...a)
%                      ^ Q0001 not supported yet: variadic parameters of macros
        print a
    endmacro
function [] = main()
    !rec 3
%   ^ Q0621 the macro 'rec' is expanded within itself
    !two 1
%   ^ Q0622 the argument 'b' of the macro 'two' is missing
    !two 1, 2, 3
%              ^ Q0622 the macro 'two' takes 2 arguments, found 3
    !two 1, c=4
%             ^ Q0622 the macro 'two' has no parameter 'c'
    !two 1, 2
    !nomacro 3
    macro [] = inside(a)
%              ^ Q0001 not supported yet: macros inside functions
        print a
    endmacro
endfunction
