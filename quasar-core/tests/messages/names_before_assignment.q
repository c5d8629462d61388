function y = late(c : int)
    if c > 0
        t = 1
    endif
    y = t
endfunction
function [] = main()
    print first
%         ^ Q0202 'first' is read here before it is assigned
    first = 1
    total += 1
%   ^ Q0202 'total' is read here before it is assigned
    print late(1)
endfunction
