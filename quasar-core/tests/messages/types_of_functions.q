f : [scalar -> scalar] = x -> "text"
%                             ^ Q0310 expected 'scalar', found 'string' the declared function type says what 'lambda' gives
g : [scalar -> int] = x -> x/2
%                          ^ Q0310 expected 'int', found 'scalar'
h : [scalar -> scalar] = (x : string) -> 1.0
%                        ^ Q0310 found a function whose parameter 'x' is 'string'
p : [scalar -> (scalar, scalar)] = x -> {x, "b"}
%                                       ^ Q0310 expected 'scalar', found 'string'
q : [int -> int -> int] = x -> y -> "text"
%                                   ^ Q0310 expected 'int', found 'string'
n : [scalar -> scalar] = x -> print(x)
%                             ^ Q0310 expected 'scalar', found '()'
function y = words(x : scalar)
    y = "words"
endfunction
function y = apply(f : [scalar -> scalar], x : scalar)
    y = f(x)
endfunction
print apply(words, 2)
%           ^ Q0310 expected 'scalar', found 'string'
r : [scalar -> scalar] = x -> x + 1
r = 3
%   ^ Q0310 expected '[scalar->scalar]', found 'int'
s : [scalar -> scalar] = x -> x + 1
print s("text")
%       ^ Q0310 expected 'scalar', found 'string'
