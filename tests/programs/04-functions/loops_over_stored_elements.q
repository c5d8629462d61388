% Loops over the elements of arrays and cells that their iterations store to: each element is read when its iteration begins.
function [] = shared(x : vec, y : vec)
    for e = x
        y[numel(y)-1] += 10
        y[0] = e
    endfor
    print x, y
endfunction

function [] = main()
    v = [1,2,3]
    for e = v
        v[2] = 9
        print e
    endfor
    u = zeros(100)
    k = 0
    for e = u
        k += 1
        if k < 100
            u[k] = e + 1
        endif
    endfor
    print k, " ", u[99], " ", e
    c = {1,"a",[1,2]}
    for e = c
        c[2] = "x"
        print e
    endfor
    w = [1.5,2,3]
    for e = w
        w[1] = 9
        % Another array, over which the loop does not run.
        w = [7.0,7,7,7]
        print e
    endfor
    print w
    x = [1.0,2,3]
    shared(x, x)
    shared(x, copy(x))
    y = zeros(20)
    for i = 0..19
        p = [i,2,3]
        for e = p
            p[2] = 9
            y[i] += e
        endfor
    endfor
    print sum(y), " ", y[0]
endfunction
