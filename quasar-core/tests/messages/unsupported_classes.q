type odd : class
    f : vec[[int -> int]]
%   ^ Q0001 not supported yet: arrays of functions in fields
    k : [__kernel__ (vec) -> ()]
%   ^ Q0001 not supported yet: kernel functions in fields
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
    print a[[1, 0, 1] > 0]
%         ^ Q0001 not supported yet: masks on arrays of objects
    x = {{a[0], 1}, {a[1], 2}}
    print x[0..1]
%         ^ Q0001 not supported yet: slices of arrays of such cells with objects
    c = cube{:}[point](3)
%       ^ Q0001 not supported yet: making arrays of objects of any dimensionality
    print c
endfunction
