type samples : mutable class
    values : vec
    best : scalar
endtype
type node : mutable class
    values : vec
    next : ^node
endtype
function [] = __kernel__ k(all : vec[samples], v : vec, n : ^node, pos : int)
    all[pos].values = v
%   ^ Q0001 not supported yet: giving an object an array of unknown sizes in kernels
    s = samples(v, 3)
%       ^ Q0001 not supported yet: making objects with arrays of unknown sizes in kernels
    all[pos].best = s.best
    m : ^node = node(v, n)
%               ^ Q0001 not supported yet: making objects with arrays of unknown sizes in kernels
    n.next = m
endfunction
function [] = main()
    v = zeros(3)
    n : ^node = node(v, nullptr)
    parallel_do(1, {samples(v, 0)}, v, n, k)
endfunction
