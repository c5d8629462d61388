function [] = main(n : int)
    a = eval("n +")
%            ^ Q0607 the text is no expression: 
    b = eval("print n")
%            ^ Q0607 the text is no expression: 
endfunction
