% compiled COMPILER_USEFUNCTIONPOINTERS=Error
function y = twice(x : scalar)
    y = 2*x
endfunction
function y = apply(f : [scalar -> scalar], x : scalar)
    y = f(x)
endfunction
function [] = main(n : int = 4)
    print apply(twice, 3), apply(x -> x + 1, 3)
    f = n > 3 ? (x -> 2*x) : (x -> 3*x)
    print f(2)
%         ^ Q0422 which function this call runs is known at run time only
    g : ?? = twice
    print g(3)
%         ^ Q0422 known at run time only
endfunction
