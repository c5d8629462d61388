function [] = main()
    x = 5
    x[0] = 6
%   ^ Q0316 a number has no elements that could be assigned
    print x.y
%           ^ Q0312 a value of type 'int' has no field 'y'
    s = "text"
    s[0] = "a"
%   ^ Q0316 strings cannot be changed in place
    v = [1,2]
    print v.length
%           ^ Q0312 a value of type 'ivec(2)' has no field 'length'
    for r = [[1,2],[3,4]]
%           ^ Q0315 a loop runs over a sequence or vec, found 'imat(2,2)'
        print r
    endfor
    print x, s
endfunction
