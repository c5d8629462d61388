macro [] = two(a, b)
    print a + nosuch(b)
endmacro
function [] = main()
    !two 1, 2
%   ^ Q0201 unknown name 'nosuch'
    !two x, 2
%   ^ Q0201 unknown name 'nosuch'
%        ^ Q0201 unknown name 'x'
    !nomacro 3
endfunction
