type point : class
    x : scalar
    x : int
%   ^ Q0341 class 'point' has two fields 'x'
endtype
type first : class
    a : second
endtype
type second : class
    b : first
%   ^ Q0342 class 'second' contains itself through the field 'b', without end a pointer may be nullptr: b : ^first
endtype
type mirror : mutable class
    me : mirror
%   ^ Q0342 class 'mirror' contains itself through the field 'me', without end a pointer may be nullptr: me : ^mirror
    you : ^mirror
endtype
type above : below
%            ^ Q0340 class 'above' inherits from itself
    q : int
endtype
type below : above
    r : int
endtype
type number : int
%             ^ Q0340 a class inherits from a class, and 'int' is none
    r : int
endtype
type lost : nosuch
%           ^ Q0201 unknown type 'nosuch'
    r : int
endtype
type point3 : point
    x : scalar
%   ^ Q0341 class 'point3' has two fields 'x'
endtype
type grow[T] : class
    g : ^grow[grow[T]]
%        ^ Q0342 the fields of class 'grow' need ever new classes of its kind a field cannot be of a class whose arguments grow
endtype
type pointers : class
    a : ^int
%       ^ Q0307 '^' makes pointers to objects of classes, and 'int' is no class arrays are references anyway, and a number that is shared can be the field of a mutable class
    b : ^^point
%       ^ Q0307 '^' makes pointers to objects of classes, and '^point' is no class a pointer to a pointer does not exist; a class can hold one as a field
    c : ^mat
%       ^ Q0307 '^' makes pointers to objects of classes, and 'mat' is no class arrays are references anyway, and a number that is shared can be the field of a mutable class
    d : ^??
%       ^ Q0307 '^' makes pointers to objects of classes, and this is no class arrays are references anyway, and a number that is shared can be the field of a mutable class
    e : nosuchtype
%       ^ Q0201 unknown type 'nosuchtype'
endtype
function [] = f(p : point[int])
%                   ^ Q0306 type 'point' takes 0 arguments, found 1
    print p
endfunction
function [] = main()
    type inner : class
        x : int
        x : scalar
%       ^ Q0341 class 'inner' has two fields 'x'
    endtype
    g = grow[int](nullptr)
    print g
endfunction
