% compiled
function [] = main(s : string, n : int)
    a = eval(s)
%       ^ Q0001 not supported yet: 'eval' of a text that is not known at compile time, in a program that does not contain the compiler build with the feature `eval` of the crate `quasar`, choose among lambdas by `match`, or make the text a constant of the module
    g : [scalar -> scalar] = eval("x -> x + " + n)
%                            ^ Q0001 not supported yet: 'eval' of a text that is not known at compile time
    print a, g(1)
endfunction
