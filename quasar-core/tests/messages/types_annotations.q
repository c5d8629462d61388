function y = f(x : scalar)
    y = x
endfunction
function [] = main()
    a : int = "text"
%             ^ Q0310 expected 'int', found 'string'
    b : mat = 3
%             ^ Q0310 expected 'mat', found 'int'
    c : vec(3) = [1.0,2]
%                ^ Q0310 expected 'vec(3)', found 'vec(2)'
    d : string = 2.5
%                ^ Q0310 expected 'string', found 'scalar'
    e : scalar = 1 + 2j
%                ^ Q0310 expected 'scalar', found 'cscalar'
    print a, b, c, d, e
endfunction
