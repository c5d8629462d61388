function y = f(x : scalar)
    y = x
endfunction
function [] = main(n : int)
    print $subs(n, 3), $subs(n=3), $subs(n[0]=1, n)
%         ^ Q0313 '$subs' takes replacements such as a=b, and an expression
%                      ^ Q0313 '$subs' takes replacements such as a=b, and an expression
%                                        ^ Q0313 '$subs' replaces variables
    print $assump(n + 1), $assump(zz), $assump(3, 4)
%                 ^ Q0313 '$assump' takes a variable
%                                 ^ Q0201 unknown name 'zz'
%                                      ^ Q0313 '$assump' takes one expression, found 2
    print $args(f), $args[in](n), $args[out](g)
%         ^ Q0313 '$args' is written $args[in](f) or $args[out](f)
%                             ^ Q0313 '$args' takes a function, found 'int'
%                                            ^ Q0201 unknown name 'g'
    print $subs(n=m, n + 1)
%                 ^ Q0201 unknown name 'm'
    print $inline(n), $inline(zz(3))
%                 ^ Q0313 '$inline' takes the call of a lambda
%                             ^ Q0201 unknown name 'zz'
    print $op($subs(n=m, n + 1), 2)
%                                ^ Q0606 there is no operand 2: 'm + 1' has 2 operands, counted from 0
    assert(pred(n))
%          ^ Q0201 unknown name 'pred'
    symbolic s
    print pred(s)
%         ^ Q0201 unknown name 'pred'
%              ^ Q0605 's' is symbolic: it stands for an unknown number and has no value
    assert($subs(n=s, n > 3))
    print $check(s > 2), $simplify(zz)
%                                  ^ Q0201 unknown name 'zz'
    x = $subs(n=s, n)
%       ^ Q0605 's' is symbolic: it stands for an unknown number and has no value
endfunction
