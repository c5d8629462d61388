% Random numbers that loops draw: the same as one after the other.
function inside : int = hit(x : scalar, y : scalar)
    inside = x*x + y*y < 1 ? 1 : 0
endfunction
function y : scalar = noise(s : scalar)
    y = s*randn()
endfunction
function [] = main()
    seed(5)
    cnt = 0
    for k = 1..2000
        x = rand()
        y = rand()
        if x*x + y*y < 1
            cnt += 1
        endif
    endfor
    print abs(4*cnt/2000 - pi) < 0.2
    cnt = 0
    for k = 1..1000
        cnt += hit(rand(), rand())
    endfor
    print cnt
    z = zeros(20,30)
    for m=0..19
        for n=2..29
            z[m,n] = m + noise(0.1) + rand()*0
        endfor
    endfor
    print round(10*sum(z))
    for m=0..19
        for n=2..29
            z[m,n] = m + noise(0.1)
        endfor
    endfor
    print round(10*sum(z))
    for m=0..19
        z[m,3] = randi(100)
        z[m,4] = randi(10)
    endfor
    print round(10*sum(z))
    for m=0..19
        z[m,3] = randi(100)
        z[m,4] = randi(100)
    endfor
    print round(10*sum(z))
    w = 0.0
    for m=0..9
        w = 0.5*w + randn()
    endfor
    print round(1000*w)
    w = 0.0
    for m=0..9
        for q=0..m
            w = 0.5*w + randn()
        endfor
    endfor
    print round(1000*w)
    for m=5..2
        w = rand()
    endfor
    print round(1000*w)
    print round(1000*rand())
    print round(1000*rand(2))
endfunction
