function [] = main()
    f = 3
    k = vec[{int, string}](2)
%       ^ Q0304 this names one cell with elements of these types; for an array of such cells write vec[vec[{..}]](..)
    t = {1, "x"}
    print t.m(1), f, k
%           ^ Q0201 no function 'm' takes 'vec[{int,string}]' as its first argument did you mean 'f'?
endfunction
