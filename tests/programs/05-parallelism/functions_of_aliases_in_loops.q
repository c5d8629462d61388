% Functions of the host that loops call with one array under two names, and that give back or rename what they get.
function [] = mv(src : vec, dst : vec, i : int)
    dst[i] = src[i-1] + 1
endfunction
function [] = run(a : vec, b : vec)
    for i = 1..numel(a)-1
        mv(a, b, i)
    endfor
endfunction
function [] = rebound(src : vec, dst : vec, i : int)
    t = src
    t[i] = dst[i-1] + 1
endfunction
function y : vec3 = shifted(v : vec3)
    y = v
    y[0] = v[0] + 1
endfunction
function [] = main()
    a = zeros(100)
    for i = 1..99
        mv(a, a, i)
    endfor
    print a[99]
    b = a
    for i = 1..99
        mv(a, b, i)
    endfor
    print a[99]
    run(a, a)
    print a[99]
    c = zeros(100)
    run(a, c)
    print c[99]
    for i = 1..99
        rebound(c, c, i)
    endfor
    print c[99]
    v = [1.0,2,3]
    for i = 1..5
        w = shifted(v)
    endfor
    print v
    print w
    o = zeros(5,3)
    for i = 0..4
        o[i,:] = shifted([1.0*i, 2, 3])
    endfor
    print o
endfunction
