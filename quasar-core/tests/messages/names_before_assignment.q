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
    f = x -> x + missing
%                ^ Q0202 'missing' has no value yet where this function is made
    g = x -> even(x)
%            ^ Q0202 'even' has no value yet where this function is made
    missing = 4
    even = x -> g(x - 1)
    print f(1), g(2)
endfunction
