function [] = f(p : ^scalar)
%                   ^ Q0001 not supported yet: pointer types
    print 1
endfunction
f(nullptr)
