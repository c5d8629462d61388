function [] = main()
    a = 1
    print (a : cube)
%          ^ Q0322 Type check failed: 'int'const' is not 'cube'
    print type(1, 2)
%                 ^ Q0304 expected a type or its name as a string
    print maxvalue(string)
%                  ^ Q0304 'maxvalue' takes a numeric type
endfunction
