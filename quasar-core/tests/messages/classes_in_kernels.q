type point : mutable class
    x : scalar
    y : scalar
endtype
type node : class
    n : int
    next : ^node
endtype
type empty : class
endtype
type text : class
    s : string
    v : vec
endtype
function [] = __kernel__ k1(h : node, pos : int)
    x = h.n
endfunction
function [] = __kernel__ k2(h : vec[^point], e : empty, t : text, pos : int)
    x = h[pos].x
endfunction
function [] = __kernel__ k3(pos : int)
    x = shared[point](3)
%       ^ Q0001 not supported yet: making objects in kernel and device functions
    y = vec[point](3)
%       ^ Q0001 not supported yet: making objects in kernel and device functions
    z : ^point = nullptr
%   ^ Q0402 variable 'z' has the type '^point': pointers in kernel and device functions are not supported yet
    h = node()
%       ^ Q0402 an object of class 'node' cannot be used in kernel or device code: objects with pointers in kernel and device functions are not supported yet
    k = type(pos)
%   ^ Q0404 types as values cannot be used in kernel function 'k3'
endfunction
function [] = main()
    v = zeros(3)
    h = node(1, nullptr)
    parallel_do(3, h, k1)
%                  ^ Q0402 argument 'h' of kernel 'k1' has the type 'node': objects with pointers in kernel and device functions are not supported yet
    parallel_do(3, vec[^point](3), empty(), text("a", [1]), k2)
%                  ^ Q0402 argument 'h' of kernel 'k2' has the type 'vec[^point](3)': this way of holding objects in kernel and device functions is not supported yet
    parallel_do(3, k3)
    parallel_do(3, __kernel__ (pos : int) -> v[pos] = h.n)
%   ^ Q0402 variable 'h' has the type 'node' and cannot be used in kernel or device code: objects with pointers in kernel and device functions are not supported yet
endfunction
