% Functions of the host that loops call: what they return, change, and hand on.
function [a, b] = swapped(x : scalar, y : scalar)
    a = y
    b = x
endfunction
function [x, y] = same_names(x : scalar, y : scalar)
    x = x + 1
    y = y * 2
endfunction
function y : vec3 = itself(x : vec3)
    y = x
endfunction
function [] = bump(v : vec3)
    v[0] += 1
endfunction
function [] = put(x : vec, i : int, value : scalar)
    x[i] = value
    if i + 1 < numel(x)
        x[i+1] += 0.5
    endif
endfunction
function y = early(x : scalar)
    y = 0.0
    if x > 10
        y = 1
    else
        for k = 0..5
            y += x
            if y > 20
                break
            endif
        endfor
    endif
endfunction
function y = fact(n : int)
    y = 1.0
    if n > 1
        y = n * fact(n-1)
    endif
endfunction
function y = outer(x : vec, i : int)
    y = inner(x, i) + inner(x, i+1)
endfunction
function y = inner(x : vec, i : int)
    y = i < numel(x) ? x[i] : -1
endfunction
function y : vec = unit(v : vec)
    y = v / sqrt(sum(v.^2))
endfunction
function y : vec3 = filled(a : scalar)
    y = zeros(3)
    y[0] = a
    y[1] = a*a
    y[2] = y[0] + y[1]
endfunction
function y : vec3 = half(v : vec3)
    y = zeros(3)
    for k = 0..2
        y[k] = v[k] / 2
    endfor
endfunction
function y = checked(x : vec, i : int)
    y = x[i]
endfunction
function y = asserted(x : scalar)
    assert(x >= 0)
    y = sqrt(x)
endfunction
function y = with_default(x : scalar, k : scalar = 3)
    y = x*k
endfunction
function [] = main()
    n = 8
    x = zeros(n)
    y = zeros(n)
    for i = 0..n-1
        x[i] = i + 1
    endfor
    p = 1.0
    q = 2.0
    for i = 0..4
        [p, q] = swapped(p + i, q)
    endfor
    print p
    print q
    for i = 0..4
        [p, q] = swapped(p, q)
        [q, p] = same_names(p, q)
    endfor
    print p
    print q
    v = [1.0, 2, 3]
    for i = 0..3
        w = itself(v)
        w[1] = w[1] + i
        bump(v)
    endfor
    print v
    for i = 0..n-1
        put(y, i, x[i])
    endfor
    print y
    for i = 0..n-1
        y[i] = early(x[i]*3)
    endfor
    print y
    for i = 0..n-1
        y[i] = fact(i)
    endfor
    print y
    for i = 0..n-1
        y[i] = outer(x, i)
    endfor
    print y
    for i = 1..n-1
        x[i] = inner(x, i-1) + 1
    endfor
    print x
    m = ones(4,5)
    for i = 0..3
        m[i,:] = unit(m[i,:] * (i+1)) + i
    endfor
    print round(1000*m)
    s = [0.0, 0, 0]
    for i = 0..n-1
        s = s + filled(x[i])
        s = half(s)
    endfor
    print round(1000*s)
    for i = 0..n-1
        s = half(s)
        s = itself(s)
        s[2] = i
    endfor
    print round(1000*s)
    for i = 0..n-1
        y[i] = with_default(x[i]) + with_default(x[i], 2)
    endfor
    print y
    try
        for i = 0..n
            y[mod(i,n)] = checked(x, i)
        endfor
    catch ex
        print "caught"
    endtry
    try
        for i = 0..n-1
            y[i] = asserted(x[i] - 3)
        endfor
    catch ex
        print "caught"
    endtry
    t = 0.0
    k = 0
    while k < n
        t += early(x[k])
        k += 1
    endwhile
    print t
    cnt = 0
    for i = 0..99
        a = early(mod(i*7, 13))
        if a > 15
            cnt += 1
        endif
    endfor
    print cnt
endfunction
