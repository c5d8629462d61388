% optimised
function [] = main()
    {!parallel for}
    for k = 0..4
%   ^ Q0404 `{!parallel for}` cannot run this loop in parallel: it carries 'A' from one iteration to the next
        A = [[1,2,3],[4,5,k]]
    endfor
    print transpose(A)
endfunction
