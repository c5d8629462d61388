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
type holder : mutable class
    n : int
    t : ^text
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
    h = node()
    k = type(pos)
%   ^ Q0404 types as values cannot be used in kernel function 'k3'
endfunction
function [] = __kernel__ k4(h : node, pos : int)
    (h.n <- 3)
%      ^ Q0345 the field 'n' cannot be changed: class 'node' is not mutable
    h.next = nullptr
%     ^ Q0345
endfunction
function [] = __kernel__ k5(o : holder, pos : int)
    t = o.t
%   ^ Q0402 variable 't' has the type '^text': not all of its fields are numbers or arrays of numbers
    o.n += 1
endfunction
function [] = __kernel__ k6(t : text, pos : int)
    n = pos
endfunction
function [] = __kernel__ k7(p : vec[vec[^point]], pos : int)
    n = pos
endfunction
function [] = main()
    parallel_do(3, node(1, nullptr), k4)
    parallel_do(3, holder(1, nullptr), k5)
    v = zeros(3)
    h = node(1, nullptr)
    parallel_do(3, h, k1)
    parallel_do(3, vec[^point](3), empty(), text("a", [1]), k2)
%                                  ^ Q0402 argument 'e' of kernel 'k2' has the type 'empty': objects without fields in kernel and device functions are not supported yet
    parallel_do(3, text("a", [1]), k6)
%                  ^ Q0402 argument 't' of kernel 'k6' has the type 'text': not all of its fields are numbers or arrays of numbers
    parallel_do(3, vec[vec[^point]](3), k7)
%                  ^ Q0402 argument 'p' of kernel 'k7' has the type
    parallel_do(3, k3)
    parallel_do(3, __kernel__ (pos : int) -> v[pos] = h.n)
endfunction
