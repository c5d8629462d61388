function [] = main()
    f = eval("x -> x + 1")
%       ^ Q0001 not supported yet: 'eval'
    print exist("f")
%         ^ Q0001 not supported yet: the library function 'exist'
endfunction
