function [] = main()
    x : int = 1
    x : vec = [1.0]
%   ^ Q0310 'x' is declared as 'int' and cannot be declared as 'vec'
    y : scalar = 1
    y = "text"
%       ^ Q0310 expected 'scalar', found 'string'
    print x, y
endfunction
