% single: quotients of large integers are rounded to single precision before their floor.
function [] = main()
    n = int(round(41+0*rand()))
    s = 0
    t = 0
    c = 65535
    for k = -n..n
        s = mod(s*3 + int(floor(k*7919/6)), 100003)
        t = mod(t + int(floor((k*40000001 + s)/4)), 1000)
        c = xor(int(floor(c/2)), mod(k,9))
        if mod(k,10) == 0
            print k, " ", s, " ", t, " ", c, " ", int(floor(k/7)), " ", int(k/7)
        endif
    endfor
    x = ivec(n-32)
    for i = 0..n-33
        x[i] = (i - 4)*134217728 + i*i*i
    endfor
    y = ivec(n-32)
    h = 1
    for i = 0..n-33
        h = mod(h + 1, 5)
        y[i] = int(floor(x[i]/2)) + h
    endfor
    print y
    for i = 0..n-33
        h = mod(h + 1, 5)
        y[i] = int(floor(x[i]/(-3))) + h
    endfor
    print y
    for i = 0..n-33
        h = mod(h + 1, 5)
        y[i] = int(x[i]/1000) + h
    endfor
    print y
endfunction
