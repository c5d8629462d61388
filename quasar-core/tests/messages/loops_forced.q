% optimised
function [] = main()
    x = zeros(4)
    y = zeros(4)
    {!parallel for}
    for k = 0..3
%   ^ Q0426 the iterations of this `{!parallel for}` run one after the other: it calls 'print'
        print k
    endfor
    {!parallel for}
    for k = 0..3
%   ^ Q0404 `{!parallel for}` cannot run this loop in parallel: it leaves the loop with `break`
        if k == 2
            break
        endif
        y[k] = 1
    endfor
    {!parallel for}
    for k = 1..3
%   ^ Q0403 `{!parallel for}` runs this loop in parallel although 'x': possible data dependency detected for variable!
        x[k] = x[k-1] + 1
    endfor
    {!parallel for}
    for k = 0..3
        try
            y[k] = 1
        catch ex
            y[k] = 2
        endtry
    endfor
    outer:
    {!interpreted for}
    for i = 0..1
        {!parallel for}
        for k = 0..3
%       ^ Q0404 `{!parallel for}` cannot run this loop in parallel: it goes on with an outer loop by `continue`
            if k == 2
                continue outer
            endif
            y[k] = 1
        endfor
    endfor
    print x, y
endfunction
