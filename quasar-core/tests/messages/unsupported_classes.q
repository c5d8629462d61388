type bird : dynamic class
%    ^ Q0001 not supported yet: dynamic classes
    name : string
endtype
type odd : class
    f : [int -> int]
%   ^ Q0001 not supported yet: functions in fields
    t : vec[{int, string}]
%   ^ Q0001 not supported yet: tuples in fields
    m : mat'mirror
%   ^ Q0001 not supported yet: access modifiers of fields
endtype
type point : mutable class
    x : scalar
endtype
function [] = main()
    a = vec[point](3)
    print a[0..1]
%         ^ Q0001 not supported yet: slices of arrays of objects
    b = bird("crow")
    c = cube{:}[point](3)
%       ^ Q0001 not supported yet: making arrays of objects of any dimensionality
    print b, c
endfunction
