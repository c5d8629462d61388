% optimised
function [] = main()
    y = zeros(4)
    s = "text"
    {!parallel for}
    for k = 0..3
%   ^ Q0404 `{!parallel for}` cannot run this loop in parallel: it carries 's' from one iteration to the next
        s = s + "x"
    endfor
    {!parallel for}
    for k = 0..3
        y[k] = numel(load("file"))
    endfor
    {!parallel for}
    for k = [3.0,1.0]
%   ^ Q0426 the iterations of this `{!parallel for}` run one after the other: it loops over the elements of a vector
        y[int(k)] = 1
    endfor
    {!parallel for}
    for k = 0..3
        assert(y[k] == 0, "value ", y[k])
    endfor
    print y, s
endfunction
