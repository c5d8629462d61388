% What loops have added up, and where they were, when an error ends them: also where the loop could be parallel.
function [] = tried(x : vec, n : int)
    s = 0.0
    try
        for j = 0..n
            s += x[j]
        endfor
    catch ex
        print "caught ", s
    endtry
    print s, " ", j
    y = zeros(4)
    try
        for i = 0..n
            y[mod(i,4)] = x[i]
        endfor
    catch ex
        print "caught"
    endtry
    print y, i
    t = 0.0
    for r = 0..3
        try
            for j = 0..r
                t += x[j+n-4]
            endfor
        catch ex
            t = t + 1000
        endtry
    endfor
    print t, " ", r, " ", j
    t = 0
    try
        for a = 0..1
            for b = 0..n
                t += x[b] > 1
            endfor
        endfor
    catch ex
        print "caught ", t
    endtry
    print t, " ", a, " ", b
endfunction

function [] = main()
    x = [1,4,9,-1,16] + 0.0
    tried(x, 4)
    tried(x, 6)
    % No iteration fails.
    s = 0.0
    try
        for j = 0..numel(x)-1
            s += x[j]
        endfor
        print x[numel(x) + j]
    catch ex
        print "caught ", s, " ", j
    endtry
    print s
endfunction
