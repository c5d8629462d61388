% Sequences whose parts have types that the running program finds: values, loops, indices and their targets.
function y : ?? = next(c : vec[??])
    c[0] = c[0] + 1
    y = c[0]
endfunction

function [] = main()
    c : vec[??] = {0.5, 2, -0.5}
    print c[0]..c[1]
    print c[1]..c[2]..c[0]
    print 0..c[1], " ", c[0]..3, " ", 0..c[0]..2
    for k = c[0]..c[1]
        print k
    endfor
    for k = c[1]..c[2]..c[0]
        print k, " ", k + 1
    endfor
    for k = c[1]..0
        print "never"
    endfor
    d : vec[??] = {1, 3, -2, [10,20,30,40], int8(2), uint64(5), half(0.5)}
    x = [10,20,30,40]
    print x[d[0]..d[1]], " ", x[d[1]..d[2]..d[0]], " ", x[d[1]..d[0]], " ", x[d[0]..2]
    y = d[3]
    print y[d[0]..d[1]], " ", y[0..1], " ", y[d[1]..d[2]..0]
    x[d[0]..2] = [7, 8]
    print x
    x[d[0]..d[1]] += 1
    print x
    m = [[1,2,3],[4,5,6],[7,8,9]]
    print m[d[0]..2, 0..d[0]]
    m[d[0]..2, 0] = 0
    print m
    print type(d[4]..3), " ", type(d[5]..uint64(7)), " ", type(d[6]..2), " ", type(c[0]..2), " ", type(d[0]..3)
    print numel(d[0]..d[1]), " ", sum(d[0]..d[1]), " ", (d[0]..d[1]) * 2
    e : vec[??] = {1, "a"}
    try
        print e[0]..e[1]
    catch err
        print err
    endtry
    try
        print 0..(e[0]-1)..5
    catch err
        print err
    endtry
    print next(e)..next(e)..next(e)*3
    print [...(d[0]..d[1]), 9]

    % Places are the elements with their fractions cut off, known or not.
    i = 0.5
    r = i..2
    h : vec[??] = {0.5, 2}
    z = [10,20,30,40,50]
    print z[i..2], " ", z[r], " ", z[h[0]..h[1]]
    n = 5
    print z[0..n/2-1], " ", z[n/2..n-1], " ", z[n-1..-1.0..n/2], " ", z[n/2..2..n], " ", z[0..-i]
    z[n/2..n-1] = 0
    print z
    try
        print z[-i..2]
    catch err
        print err
    endtry
    g : vec[??] = {-0.5, 2}
    try
        print z[g[0]..g[1]]
    catch err
        print err
    endtry
    print z[g[0]..0.5..g[1]], " ", z[-i..0.5..2]
    z[0.5..0.25..1] += 1
    print z
endfunction
