type point : class
    x : scalar
    y : scalar
endtype
type data : mutable class
    v : vec
    n : int
    any
endtype
type holder : class
    d : data
endtype
type pair[A,B] : class
    a : A
    b : B
endtype
type circle : class
    centre : point
    radius : scalar
endtype
function y = circle(r : scalar, name : string)
    y = circle(radius:=r)
    print name
endfunction
function [] = main()
    p = point(1, 2)
    print point(1, 2, 3)
%                     ^ Q0313 too many values for class 'point', which has 2 fields
    print point(x:="a", w:=3)
%                  ^ Q0324 the field 'x' of 'point' must be 'scalar', found 'string'
%                       ^ Q0343 class 'point' has no field 'w' did you mean 'x'?
    print point(1, x:=2)
%                  ^ Q0313 the field 'x' is given twice
    print data(), data(n:=3), holder()
%         ^ Q0344 the field 'any' of 'data' has no default and must be given values of type '??' start with nothing; write any := ..
%         ^ Q0344 the field 'v' of 'data' has no default and must be given values of type 'vec' start with nothing; write v := ..
%                 ^ Q0344 the field 'any' of 'data' has no default and must be given values of type '??' start with nothing; write any := ..
%                 ^ Q0344 the field 'v' of 'data' has no default and must be given values of type 'vec' start with nothing; write v := ..
%                             ^ Q0344 the field 'd' of 'holder' has no default and must be given values of type 'data' start with nothing; write d := ..
    print pair(1, 2), pair[int](1, 2), pair[int, string](1, 2)
%         ^ Q0306 type 'pair' takes 2 arguments, found 0 write pair[A,B](..)
%                     ^ Q0306 type 'pair' takes 2 arguments, found 1
%                                                           ^ Q0324 the field 'b' of 'pair[int,string]' must be 'string', found 'int'
    print circle(1, 2), circle(p, 1)
%                ^ Q0324 the field 'centre' of 'circle' must be 'point', found 'int'
    n = data([1, 2], 1.5, "t")
%                    ^ Q0314 implicit conversion from 'scalar' to 'int' write int(..) to convert on purpose
    print p, n, stack(3)
%               ^ Q0201 unknown name 'stack' variables are created by assigning to them, functions by `function`
endfunction
