% Loops over small arrays with more iterations than one launch takes: what goes on from launch to launch.

function [x : vec, total : scalar, k : int] = counted(a : vec, n : int)
    x = a
    total = 0
    k = -1
    for k = 0..n-1
        x = mod(x + k, 101)
        total = mod(total + x[0], 1009)
    endfor
endfunction

function [x : vec, last : int] = backwards(a : vec, n : int, s : int)
    x = a
    last = 0
    for k = n-1..-1..0
        x = mod(2 * x + k, 97)
        last = k
    endfor
    for k = 0..s..n
        s = 5
        x = mod(x + k, 89)
        last = last + 1
    endfor
endfunction

function [x : vec, steps : int] = left(a : vec, n : int)
    x = a
    steps = 0
    for k = 0..n-1
        x = mod(x + 3, 8191)
        steps = k
        if k >= 5000 && x[0] == 0
            break
        endif
    endfor
endfunction

function [x : vec, steps : int] = until_small(a : vec, n : int)
    x = a
    steps = 0
    while steps < n
        steps += 1
        x = mod(x + steps, 113)
    endwhile
endfunction

function [x : vec, p : vec3] = with_numbers(a : vec, n : int)
    x = a
    p = [1.0, 2.0, 3.0]
    for k = 0..n-1
        x = mod(x + p[1], 101)
        p = [p[1], p[2], mod(p[0] + x[1], 53)]
    endfor
endfunction

function [] = main()
    a = [3.0, 1.0, 4.0, 1.0]
    for n = [4095, 4096, 4097, 9000]
        [x, t, k] = counted(a, n)
        print n, " ", x, " ", t, " ", k
        [x, last] = backwards(a, n, 2)
        print x, " ", last
        [x, steps] = left(a, 20000 + n)
        print x, " ", steps
        [x, steps] = until_small(a, n)
        print x, " ", steps
        [x, p] = with_numbers(a, n)
        print x, " ", p
    endfor
endfunction
