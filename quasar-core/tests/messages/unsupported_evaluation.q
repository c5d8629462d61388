function [] = main(name : string)
    print exist(name)
%         ^ Q0001 not supported yet: 'exist' of a name that is known at run time only
endfunction
