function [] = main()
    try
%   ^ Q0001 not supported yet: several catch clauses
        error("a")
    catch ex : qexception
        print 1
    catch ex
        print 2
    endtry
endfunction
