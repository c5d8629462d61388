function [] = main()
    if "text"
%      ^ Q0315 a condition must be a number or an array of numbers, found 'string'
        print 1
    endif
    n = 2.5
    n &= 1
%   ^ Q0311 '&=' is defined for integers only, found 'scalar', 'int'
    n |= 1
%   ^ Q0311 '|=' is defined for integers only, found 'scalar', 'int'
    m = 3
    m ~= 1.5
%   ^ Q0311 '~=' is defined for integers only, found 'int', 'scalar'
    while x -> x
%         ^ Q0315 a condition must be a number or an array of numbers, found 'function'
        print 2
    endwhile
endfunction
