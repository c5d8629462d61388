function [] = main()
    n = 0
    for k = 0..2
        n += 0.5
%            ^ Q0314 implicit conversion from 'scalar' to 'int'
    endfor
    i : int = 2.5
%             ^ Q0314 implicit conversion from 'scalar' to 'int'
    v = [1,2,3]
    v[0] = 1.5
%          ^ Q0314 implicit conversion from 'scalar' to 'int'
    print n, i, v
endfunction
