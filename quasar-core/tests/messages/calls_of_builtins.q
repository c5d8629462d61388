function [] = main()
    print sum("text")
%             ^ Q0312 expected an array of numbers, found 'string'
    print sqrt("x")
%              ^ Q0312 'sqrt' needs numbers or arrays of numbers, found 'string'
    print numel()
%         ^ Q0313 'numel' takes 1 argument, found 0
    print zeros("a")
%               ^ Q0312 expected a size, found 'string'
    print eye(1, 2, 3)
%         ^ Q0313 'eye' takes 1 to 2 arguments, found 3
    print reshape([1,2,3], [2,2])
%         ^ Q0311 cannot reshape 3 elements into 2x2, which has 4
    print repmat([1,2])
%         ^ Q0313 'repmat' takes 2 arguments, found 1
    print cross([1,2], [3,4])
%               ^ Q0312 expected a vec(3), found 'ivec(2)'
    print linspace(1, 2)
%         ^ Q0313 'linspace' takes 3 arguments, found 2
    print upper(3)
%               ^ Q0312 expected a string, found 'int'
    assert("text")
%          ^ Q0315 a condition must be a number or an array of numbers, found 'string'
    print size([1,2], "x")
%                     ^ Q0312 expected the number of a dimension or a vector of them, found 'string'
    print sort()
%         ^ Q0313 'sort' takes 1 to 2 arguments, found 0
endfunction
