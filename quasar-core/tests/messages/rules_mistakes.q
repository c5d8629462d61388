function y = __device__ seen(x)
    y = x
endfunction
    reduction (x) -> x + bad(x) = no_such_name + x
    reduction (x : int) -> circle(x) = 1 + circle(x)
%   ^ Q0611 circular reduction: the replacement contains 'circle(x)' again
    reduction (x, y) -> plus(x + y) = plus(y + x)
    reduction (x) -> x = 3
%                    ^ Q0610 the pattern is the variable 'x' alone, which every expression matches
    reduction (x, y) -> unused(x) = 3
%                 ^ Q0610 the pattern does not contain the variable 'y'
    reduction (x : nosuchtype) -> typed(x) = 3
%                  ^ Q0201 unknown type 'nosuchtype'
    reduction (x) -> tested(x) = 3 where nosuch(x)
    reduction (x = 4) -> optional(x) = 3
%                  ^ Q0610 variables of reductions have no default values
    reduction (x) -> (t -> x) = 3
%                     ^ Q0001 not supported yet: reductions of 't -> x'
    reduction (x : scalar) -> seen(x) = x[3]
    reduction (x : int) -> more(x) = more(x + 1)
    reduction (x : int) -> nested(x) = 1 + nested(x + 1)
    reduction (x : int) -> texts(x) = "a" + x
function [] = main()
    a = 2
    print a + bad(a)
%         ^ Q0201 unknown name 'no_such_name'
    print typed(1)
    print tested(3)
%         ^ Q0201 unknown name 'nosuch'
%         ^ Q0614 no reduction covers 'tested(3)', and 'tested' is no function
    print seen(a + 0.5)
%         ^ Q0316 a number has no element but the one at index 0
    print more(1)
%         ^ Q0614 no reduction covers 'more(
%         ^ Q0612 possible circular reduction: this expression is rewritten again and again
    print nested(1)
%         ^ Q0612 possible circular reduction: this expression is rewritten again and again
    z = zeros(3)
    parallel_do(3, z, __kernel__ (z : vec, pos : int) -> z[pos] = texts(pos))
%                                                                 ^ Q0404 strings cannot be used in kernel function 'lambda'
    for i = 1..3
        a = bad(seen(0.5))
%           ^ Q0201 unknown name 'bad'
%               ^ Q0316 a number has no element but the one at index 0
    endfor
    print seen(b)
%              ^ Q0201 unknown name 'b'
    symbolic s
    print seen(s)
%              ^ Q0605 's' is symbolic: it stands for an unknown number and has no value
endfunction
