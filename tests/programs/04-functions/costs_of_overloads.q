% What an argument costs: the same type nothing, sizes that are given up 1, more dimensions 2, converted numbers 3, `??` 10;
% then generic functions, then variadic ones. Versions for host and device share the signature, with its modifiers.
function y = size_or_rank(x : vec)
    y = "size"
endfunction
function y = size_or_rank(x : mat)
    y = "rank"
endfunction
print size_or_rank([1.0,2,3])
function y = rank_or_number(x : mat, z : scalar)
    y = "rank"
endfunction
function y = rank_or_number(x : vec, z : cscalar)
    y = "number"
endfunction
print rank_or_number([1.0,2], 1.5)
function y = number_or_any(x : scalar)
    y = "number"
endfunction
function y = number_or_any(x : ??)
    y = "any"
endfunction
print number_or_any(1)
function y = any_or_generic(x : ??, z : int)
    y = "any"
endfunction
function y = any_or_generic(x, z)
    y = "generic"
endfunction
print any_or_generic("a", 1), " ", any_or_generic("a", "b")
function y = generic_or_rest(x, z : int)
    y = "generic"
endfunction
function y = generic_or_rest(...x)
    y = "rest"
endfunction
print generic_or_rest(1, 1), " ", generic_or_rest("a", "b"), " ", generic_or_rest(1, 2, 3)
function y = version(x : vec'const)
    y = 1
endfunction
function y = __device__ version(x : vec'const)
    y = 2
endfunction
function y = __device__ on_device(x : vec)
    y = version(x)
endfunction
function [] = __kernel__ fill(z : vec, pos : int)
    z[pos] = version([1.0,2])
endfunction
z = zeros(1)
parallel_do(1, z, fill)
print version([1.0,2]), z, on_device([1.0,2])
