% Iterations whose loops draw random numbers: as many in each, or fewer where there are branches and jumps.
function y : scalar = paths(n : int, steps : int)
    y = 0.0
    for i = 1..n
        s = 0
        for t = 1..steps
            s += floor(4*rand())
        endfor
        y += max(s - 10, 0)
    endfor
endfunction

function y : vec = walks(n : int, steps : int)
    y = zeros(n)
    for i = 0..n-1
        p = rand() > 0.5 ? 1 : 0
        for t = 0..steps-1
            if rand() > 0.5
                p += randi(6)
            endif
            for q = 2..4
                p -= floor(rand()*3)
                if p < -20
                    break
                endif
            endfor
        endfor
        y[i] = p + floor(8*rand())
    endfor
endfunction

function y : vec = always(n : int, a : int, b : int)
    y = zeros(n)
    for i = 0..n-1
        p = floor(rand()*8)
        for t = a..b
            p += floor(rand()*8)
            for q = t..t+1
               p += 1
            endfor
            for q = 2..b
                p -= 2*floor(rand()*8)
            endfor
        endfor
        y[i] = p + floor(rand()*8)
    endfor
endfunction

% The loop over rounds ends where it is told to: the numbers behind that are not drawn.
function y : vec = until_large(n : int)
    y = zeros(n)
    for j = 0..n-1
        for k = 0..n-1
            x = rand()
            if x > 0.9
                break
            endif
            y[j] += floor(8*rand())
        endfor
    endfor
endfunction

function y : vec = skipped(n : int)
    y = zeros(n)
    for j = 0..n-1
        for k = 0..2
            if rand() > 0.5
                continue
            endif
            y[j] += floor(8*rand())
        endfor
    endfor
endfunction

% More rounds than numbers that are kept at once: the loops draw one after the other.
function y : int = never(n : int, rounds : int)
    y = 0
    for j = 1..n
        for k = 1..rounds
            y += randi(9)
        endfor
        y = mod(y, 1000)
    endfor
endfunction

% Rounds that depend on the iteration.
function y : vec = triangle(n : int)
    y = zeros(n)
    for j = 0..n-1
        for k = 0..j
            y[j] += floor(8*rand())
        endfor
        y[j] += floor(8*rand())
    endfor
endfunction

function [] = main()
    seed(3)
    print paths(200, 10), " ", floor(1000*rand())
    print walks(5, 3), floor(1000*rand())
    print walks(3, 0), floor(1000*rand())
    print always(6, 1, 3), floor(1000*rand())
    print always(6, 3, 2), floor(1000*rand())
    print sum(always(600, 3, 4)), " ", floor(1000*rand())
    print sum(until_large(50)), " ", floor(1000*rand())
    print sum(skipped(50)), " ", floor(1000*rand())
    print never(-1, 2000000000), " ", floor(1000*rand())
    print never(3, 4), " ", floor(1000*rand())
    print triangle(6), floor(1000*rand())
endfunction
