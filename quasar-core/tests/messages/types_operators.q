function [] = main()
    a = "x" * 2
%       ^ Q0311 '*' is not defined for 'string' and 'int'; strings have '+', '==' and '!='
    b = (1+2j) < 3
%       ^ Q0311 '<' is defined for real numbers only, found 'cscalar', 'int'
    c = [1,2] ^ 2
%       ^ Q0311 '^' is defined for square matrices with a non-negative integer exponent, found 'ivec(2)' and 'int'; use '.^' for element by element
    d = [[1,2],[3,4]] / [[1,2],[3,4]]
%       ^ Q0311 '/' divides arrays by numbers only, found 'imat(2,2)' and 'imat(2,2)'; use './' to divide element by element
    f = x -> x
    g = f + 1
%       ^ Q0312 '+' needs numbers or arrays of numbers, found 'function'
    h = -"x"
%       ^ Q0312 '-' needs numbers or arrays of numbers, found 'string'
    k = "a" < "b"
%       ^ Q0311 '<' is not defined for 'string' and 'string'; strings have '+', '==' and '!='
    m = "x" && 1
%       ^ Q0311 '&&' is not defined for 'string' and 'int'; strings have '+', '==' and '!='
    print a, b, c, d, g, h, k, m
endfunction
