function [] = main(s : string, n : int)
    a = eval(s)
%            ^ Q0001 not supported yet: 'eval' of a text that is not known at compile time a compiled program does not contain the compiler: choose among lambdas by `match`, or make the text a constant of the module
    p = "1 +"
    b = eval(p)
%            ^ Q0607 the text is no expression: 
    p = "undefined_name + 1"
    c = eval(p)
%            ^ Q0201 unknown name 'undefined_name'
    c = eval("1 + other_name")
%                 ^ Q0201 unknown name 'other_name'
    c = eval("""a"" + other_name")
%            ^ Q0201 unknown name 'other_name'
    d = eval(n)
%            ^ Q0313 'eval' takes a text, found 'int'
    e = eval("1", "2")
%       ^ Q0313 'eval' takes one text, found 2 arguments
    p = "n = 3"
    f = eval(p)
%            ^ Q0001 not supported yet: assignments in the text of 'eval'
    g = eval("1" + n)
%            ^ Q0001 not supported yet: 'eval' of a text that is not known at compile time
    h = eval(k)
%            ^ Q0201 unknown name 'k'
endfunction
