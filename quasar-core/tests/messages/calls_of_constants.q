function [] = main()
    print inf(7)
%         ^ Q0207 a value of type 'scalar' cannot be called; use [..] for indices
endfunction
