type point : mutable class
    x : scalar
endtype
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
function [] = __kernel__ k(p : point, v : vec, pos : int)
    v[pos] = p.x
endfunction
function y = __device__ d(x : scalar)
    p = point(x)
%       ^ Q0001 not supported yet: making objects in kernel and device functions
    y = p.x
endfunction
function [] = __kernel__ k2(v : vec, pos : int)
    v[pos] = d(v[pos])
endfunction
function [] = main()
    p = point(1)
    v = zeros(3)
    parallel_do(3, p, v, k)
%                  ^ Q0402 argument 'p' of kernel 'k' has the type 'point': objects in kernel and device functions are not supported yet
    parallel_do(3, v, __kernel__ (v : vec, pos : int) -> v[pos] = p.x)
%   ^ Q0402 variable 'p' has the type 'point' and cannot be used in kernel or device code: objects in kernel and device functions are not supported yet
    parallel_do(3, v, k2)
    b = bird("crow")
    a = vec[point](3)
%       ^ Q0001 not supported yet: making arrays of objects
    print v, b, a
endfunction
