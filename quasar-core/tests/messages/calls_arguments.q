function y = f(a : scalar, b : scalar = 1)
    y = a + b
endfunction
function y = g(x : vec)
    y = x[0]
endfunction
function [] = nothing()
    print "x"
endfunction
function [] = main()
    print f()
%         ^ Q0313 argument 'a' is missing in the call of f(a : scalar, b : scalar = ..)
    print f(1, 2, 3)
%                 ^ Q0313 too many arguments for f(a : scalar, b : scalar = ..)
    print f(1, c := 2)
%              ^ Q0313 'f' has no parameter 'c'
    print f(a := 1, a := 2)
%                   ^ Q0313 parameter 'a' is given twice
    print f("text")
%           ^ Q0324 argument 'a' of 'f' must be 'scalar', found 'string'
    print g(3)
%           ^ Q0324 argument 'x' of 'g' must be 'vec', found 'int'
    print g([[1.0,2],[3,4]])
%           ^ Q0324 argument 'x' of 'g' must be 'vec', found 'mat(2,2)'
    y = nothing()
%       ^ Q0317 this expression has no value
    x = 3
    print x(1)
%         ^ Q0207 a value of type 'int' cannot be called; use [..] for indices
    print sin()
%         ^ Q0313 'sin' takes 1 argument, found 0
    print sin(1, 2)
%         ^ Q0313 'sin' takes 1 argument, found 2
    print zeros()
%         ^ Q0313 the sizes of the array are missing
    [p, q] = f(1)
%   ^ Q0319 1 values for 2 targets
    print y, p, q
endfunction
