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
        print a
        !inside a
    endmacro
    !inside 3
%   ^ Q0621 the macro 'inside' is expanded within itself
    if 1
        macro [y] = inside(a)
%              ^ Q0620 the macro 'inside' cannot have outputs
        endmacro
    endif
endfunction
