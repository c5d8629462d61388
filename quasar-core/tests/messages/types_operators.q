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
    n = (1+2j) >= 1j
%       ^ Q0311 '>=' is defined for real numbers only, found 'cscalar', 'cscalar'
    o = [1j] > 1
%       ^ Q0311 '>' is defined for real numbers only, found 'cvec(1)', 'int'
    p = [1,2] < [1,2,3]
%       ^ Q0311 Dimensions do not match: 2 and 3
    q = [1,2] * [3,4]
%       ^ Q0311 '*' of two vectors ('ivec(2)' and 'ivec(2)'); use '.*' for element by element or dotprod(..) for the inner product
    r = [[1,2],[3,4]] ^ (-1)
%       ^ Q0311 '^' is defined for square matrices with a non-negative integer exponent, found 'imat(2,2)' and 'int'; use '.^' for element by element
    s = [[1,2],[3,4]] / [1,2]
%       ^ Q0311 '/' divides arrays by numbers only, found 'imat(2,2)' and 'ivec(2)'; use './' to divide element by element
    print a, b, c, d, g, h, k, m, n, o, p, q, r, s
endfunction
