type point : mutable class
    x : scalar
    y : scalar
endtype
function r = __device__ same(self : point)
%        ^ Q0001 not supported yet: giving back an object that is an element or a parameter in device functions
    r = self
endfunction
function [] = __device__ swap(a : point, b : point)
    t = a.x
    a.x = b.x
    b.x = t
endfunction
function r = __device__ stale(a : point, ps : vec[point])
    ps[0].x = 3
    r = a.x
endfunction
function [] = __kernel__ k(ps : vec[point], pos : int)
    p = ps[pos]
    q = point(1, 2)
    r = q
%       ^ Q0001 not supported yet: this use of an object in kernels
    s = same(q)
    t = copy(p)
%       ^ Q0001 not supported yet: this use of an object in kernels
    swap(q, p)
    swap(q, q)
%           ^ Q0001 not supported yet: one object for two parameters of a function that changes it
    q.y = stale(p, ps)
%         ^ Q0001 not supported yet: functions that are given an object and change it through another argument
    for e = ps
%           ^ Q0001 not supported yet: this use of an object in kernels
        e.x = 1
    endfor
    u = ps
%       ^ Q0001 not supported yet: this use of an object in kernels
    u[pos].x = 1
%   ^ Q0001 not supported yet: this change of an object in kernels
    w = pos > 1 ? p : q
%       ^ Q0001 not supported yet: this use of an object in kernels
    (p.x <- 3.0)
    q.x = r.x + s.x + t.x + w.x
%         ^ Q0001 not supported yet: this use of an object in kernels
%                     ^ Q0001 not supported yet: this use of an object in kernels
%                           ^ Q0001 not supported yet: this use of an object in kernels
endfunction
function [] = __kernel__ k2(ps : vec[point], pos : int)
    p = ps[pos]
    if pos > 1
        p = point(1, 2)
%           ^ Q0001 not supported yet: a variable for objects of different origin in kernels
    endif
    p.x = 2
    {p, p}
endfunction
function [] = main()
    ps = vec[point](3)
    parallel_do(3, ps, k)
    parallel_do(3, ps, k2)
endfunction
