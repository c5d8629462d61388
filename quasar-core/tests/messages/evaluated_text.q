function [] = main(s : string, n : int)
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
    h = eval(k)
%            ^ Q0201 unknown name 'k'
endfunction
