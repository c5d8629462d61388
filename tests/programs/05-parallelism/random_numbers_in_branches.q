% Random numbers that some iterations draw and others do not, by several functions: the same as one after the other.
function y : scalar = jump(s : scalar)
    y = s + 0.5*randn()
endfunction
function [] = main()
    seed(7)
    n = 300
    x = rand(n)
    q = zeros(n)
    st = 0.0
    for i=0..n-1
        prop = st + 0.5*randn()
        if rand() < exp(0.5*(st*st - prop*prop))
            st = prop
        endif
        q[i] = st
    endfor
    print round(1000*st)
    print round(1000*rand())
    for i=0..n-1
        if x[i] > 0.5
            q[i] = rand()
        endif
    endfor
    print round(1000*sum(q))
    print round(1000*rand())
    for i=0..n-1
        prop = jump(st)
        if prop*prop < st*st || rand() < exp(0.5*(st*st - prop*prop))
            st = prop
        endif
    endfor
    print round(1000*st)
    print round(1000*rand())
    m = zeros(20,30)
    hits = 0
    for i=0..19
        for j=0..29
            if mod(i+j,3) == 0
                m[i,j] = randi(100)
            elseif mod(i+j,3) == 1
                m[i,j] = randi(7) + rand()*0
                hits += 1
            endif
        endfor
    endfor
    print sum(m)
    print hits
    print round(1000*rand())
    s = 0.0
    for i=0..99
        a = rand()
        b = randn()
        c = randi(1000)
        s = 0.9*s + a*b + c
    endfor
    print round(10*s)
    print round(1000*rand())
    w = zeros(40)
    for i=0..39
        w[i] = rand() + 10*randi(5) + randn()
    endfor
    print round(1000*sum(w))
    print round(1000*rand())
    for i=0..39
        w[i] = randi(i+1)
    endfor
    print sum(w)
    limit = numel(w) - 30
    t = zeros(2)
    t[1] = 5
    for i=0..39
        w[i] = randi(limit) + randi(int(t[1]))
        t[1] = t[1] + 1
    endfor
    print sum(w)
    none = 0
    for i=0..39
        if w[i] < 0
            w[i] = randi(none)
        endif
    endfor
    print round(1000*rand())
    k = 0
    for i=0..99
        if rand() < 0.1
            break
        endif
        k += 1
    endfor
    print k
    print round(1000*rand())
    spins = ones(16,16)
    for t = 1..5
        for par = 0..1
            for i=0..15
                for j=0..15
                    if mod(i+j,2) == par
                        nb = spins[mod(i+1,16),j] + spins[mod(i+15,16),j] + spins[i,mod(j+1,16)] + spins[i,mod(j+15,16)]
                        dE = 2*spins[i,j]*nb
                        if dE <= 0 || rand() < exp(-dE*0.4)
                            spins[i,j] = -spins[i,j]
                        endif
                    endif
                endfor
            endfor
        endfor
    endfor
    print sum(spins)
    print round(1000*rand())
endfunction
