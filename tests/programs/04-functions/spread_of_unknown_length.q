% Vectors whose length is known when the program runs are spread into calls, indices and literals.
function v = counted(n : int)
    v = 1..n
endfunction
function y = weighted(a, b, c)
    y = a + 10*b + 100*c
endfunction
function [] = both(a : scalar, name : string)
    print name, " ", a
endfunction
function [] = main()
    u = counted(3)
    w = counted(2)
    print weighted(...u), " ", weighted(...w, 7), " ", weighted(5, ...w)
    add = (x, y) -> x - y
    print add(...w)
    args : cell = {3, "three"}
    both(...args)
    m = zeros(3, 3)
    m[...w] = 5
    print m[...w], " ", m
    x = reshape(0..23, [2,3,4])
    q = w - 1
    print x[...q, 3], " ", x[1, ...q], " ", x[...q, :]
    x[...q, 0..1] = [-1, -2]
    x[1, ...q] += 100
    print x[0,1,0..2], " ", x[1,0,1]
    print [...u, 4, ...w], " ", [...u, 0.5], " ", {...u, "x"}, " ", {...w, ...{"a", 2}}, " ", {...u, 5}
    for k = 0..2
        try
            match k with
            | 0 -> print weighted(...w)
            | 1 -> print x[...u, 0]
            | 2 -> print x[0, ...counted(1)]
            endmatch
        catch e : qsizeexception
            print e.message
        endtry
    endfor
endfunction
