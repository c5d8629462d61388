function [] = main()
    print exist("f")
%         ^ Q0001 not supported yet: the library function 'exist'
endfunction
