function [] = main(n : int)
    symbolic a, b
    print a
%         ^ Q0605 'a' is symbolic: it stands for an unknown number and has no value
    c = b + 1
%       ^ Q0605 'b' is symbolic: it stands for an unknown number and has no value
    if a > 2
%      ^ Q0605 'a' is symbolic: it stands for an unknown number and has no value
        print 1
    endif
    assert(a > b && b > 3)
    assert(a < 2)
%          ^ Q0601 NO NO NO I don't believe this, can't be true! Assertion 'a < 2' is contradictory with 'a > b && b > 3'
    print $check(a > 3), $check(n > m)
%                                   ^ Q0201 unknown name 'm'
    print $eval(n + 1)
%               ^ Q0606 'n + 1' is not known at compile time
    print $op(n + 1, 2), $op(n, 0), $op(n + 1, n)
%                    ^ Q0606 there is no operand 2: 'n + 1' has 2 operands, counted from 0
%                               ^ Q0606 there is no operand 0: 'n' has 0 operands, counted from 0
%                                              ^ Q0606 the number of an operand must be known at compile time
    print $check(a, b), $op(n)
%         ^ Q0313 '$check' takes one expression, found 2
%                       ^ Q0313 '$op' takes an expression and a number
    a = 3
    print a
endfunction
