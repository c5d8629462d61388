function y = f(x : scalar, k : int)
    y = x*k
endfunction
function [] = main(n : int)
    a = $specialize(f)
%       ^ Q0313 '$specialize' takes a function and constraints joined by &&
    b = $specialize(f, k == n)
%                           ^ Q0606 'n' is not known at compile time
    c = $specialize(f, k == 1 && k == 2)
%                                ^ Q0313 'k' is given two values
    d = $specialize(f, type(x, "mat"))
%                              ^ Q0322 the type of 'x' can only be narrowed: 'mat' is not 'scalar'
    e = $specialize(3, k == 1)
%                   ^ Q0313 expected a function, found 'int'
    g = $specialize(f, k > 3 && k < 2)
%                               ^ Q0601 NO NO NO I don't believe this, can't be true! Assertion 'k < 2' is contradictory with 'k > 3'
    print g(1.0, 5)
    h = $specialize(f, q == 1)
%                      ^ Q0201 unknown name 'q'
    print h(1.0, 5)
    fact = t -> t == n ? 1 : t*fact(t - 1)
    i = $specialize(fact, t > 1)
%                   ^ Q0001 not supported yet: versions of functions that capture variables and call themselves
    j = $specialize(t -> t, t > 3 && t < 1)
%                                    ^ Q0601 NO NO NO I don't believe this, can't be true! Assertion 't < 1' is contradictory with 't > 3'
    print j(2)
    o = $specialize(f, k == 1)
    print o(1.0, 2)
%                ^ Q0313 too many arguments for f_sp3(x : scalar)
    p = $elevate(nothing)
%                ^ Q0201 unknown name 'nothing'
    r = $elevate(f, 3)
%       ^ Q0313 '$elevate' takes one expression, found 2
    w = $specialize(f, type(x))
%                      ^ Q0315 a condition must be a number or an array of numbers, found 'type'
    print w(1.0, 3)
endfunction
