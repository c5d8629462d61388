LIMIT : 'const = 5
function [] = main()
    c : 'const = [1,2,3]
    c[0] = 4
%   ^ Q0204 'c' is declared 'const and cannot be assigned
    c += 1
%   ^ Q0204 'c' is declared 'const and cannot be assigned
    print c, LIMIT
endfunction
    LIMIT = 6
%   ^ Q0204 'LIMIT' is declared 'const and cannot be assigned
