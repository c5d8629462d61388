type base : mutable class
    x : scalar
    next : ^base
endtype
type derived : base
    y : scalar
endtype
type node : mutable class
    n : int
    next : ^node
endtype
type inner : mutable class
    v : scalar
endtype
type outer : mutable class
    i : inner
    to : ^inner
endtype
function [] = __kernel__ k1(b : ^base, d : ^derived, pos : int)
    b.x = d.x
%         ^ Q0001 not supported yet: pointers in kernels to objects of a class and of one that inherits from it
endfunction
function r : ^node = __kernel__ k2(h : ^node, pos : int)
%        ^ Q0001 not supported yet: kernels that give back pointers
    r = h
    r.next = copy(h)
%            ^ Q0001 not supported yet: copies of objects in kernels
endfunction
function [] = __kernel__ k3(list : vec[^outer], to : inner, pos : int)
    list[pos] = outer(inner(1), to)
%               ^ Q0001 not supported yet: making objects in kernels inside of which are others that pointers refer to
endfunction
function [] = __kernel__ k4(h : ^node, pos : int)
    serial_do(2, h, k4)
%   ^ Q0001 not supported yet: launching kernels with pointers from kernels
endfunction
function [] = main()
    h = node(1, nullptr)
    b = base(1, nullptr)
    parallel_do(1, b, nullptr, k1)
    r = parallel_do(1, h, k2)
    parallel_do(1, vec[^outer](1), inner(1), k3)
    parallel_do(1, h, k4)
endfunction
