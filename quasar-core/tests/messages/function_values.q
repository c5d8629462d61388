type button : mutable class
    press : [scalar -> scalar]
    other : ??
endtype
type bird : dynamic class
    name : string
endtype
type duck : bird
    depth : scalar
endtype
function y = name_of(x : scalar)
    y = "name"
endfunction
function y = two(x : scalar, z : scalar)
    y = x + z
endfunction
function y = all(...x)
    y = numel(x)
endfunction
function y = same[T](x : T)
    y = x
endfunction
function [] = __kernel__ k(v : vec, pos : int)
    v[pos] = 0
endfunction
function y = m(self : bird)
    y = 1
endfunction
function [y, z] = m(self : duck)
    [y, z] = [1, 2]
endfunction
function [] = main()
    b = button(name_of, 3)
%              ^ Q0310 expected 'scalar', found 'string' the declared function type says what 'name_of' gives
    b.press = two
%             ^ Q0310 expected '[scalar->scalar]', found a function that takes 2 arguments: two(x : scalar, z : scalar)
    b.press = 3
%             ^ Q0310 expected '[scalar->scalar]', found 'int'
    b.other = all
%             ^ Q0001 not supported yet: a variadic function as a value that is known at run time
    b.other = same
%             ^ Q0001 not supported yet: a function with type parameters as a value that is known at run time
    b.other = k
%             ^ Q0001 not supported yet: a kernel function as a value that is known at run time
    print b.press("x"), b.press(1, 2)
%                 ^ Q0310 expected 'scalar', found 'string'
%                       ^ Q0313 '[scalar->scalar]' takes 1 arguments, found 2
    c = bird("crow")
    print c.m()
%         ^ Q0311 the functions 'm' of 'duck' and of what it inherits from give different numbers of results
    c.name = 3
%            ^ Q0310 expected 'string', found 'int'
    d = bird("crow", 3)
%                    ^ Q0313 too many values for class 'bird', which has 1 fields
    v = zeros(3)
    parallel_do(3, __kernel__ (pos : int) -> v[pos] = numel(c.name))
%   ^ Q0402 variable 'c' has the type 'bird' and cannot be used in kernel or device code: objects of dynamic classes stay on the host
    parallel_do(3, __kernel__ (pos : int) -> v[pos] = b.press(1))
%   ^ Q0402 variable 'b' has the type 'button' and cannot be used in kernel or device code: not all of its fields are numbers or arrays of numbers
endfunction
