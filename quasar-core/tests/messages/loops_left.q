% optimised
function [] = main()
    y = zeros(4)
    s = "text"
    {!parallel for}
    for k = 0..3
%   ^ Q0404 `{!parallel for}` cannot run this loop in parallel: it calls 'strcat'
        s = s + "x"
    endfor
    {!parallel for}
    for k = 0..3
%   ^ Q0404 `{!parallel for}` cannot run this loop in parallel: it calls 'numel'
        y[k] = numel(load("file"))
    endfor
    {!parallel for}
    for k = [3.0,1.0]
        y[int(k)] = 1
    endfor
    {!parallel for}
    for k = 0..3
%   ^ Q0404 `{!parallel for}` cannot run this loop in parallel: it prints values in an error message
        assert(y[k] == 0, "value ", y[k])
    endfor
    print y, s
endfunction
