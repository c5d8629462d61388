% Loops whose number of iterations is not known before, over small arrays that get new values as a whole.

function [x : vec, steps : int] = settled(A : mat, b : vec, limit : scalar)
    x = zeros(numel(b))
    r = b
    steps = 0
    while max(abs(r)) > limit && steps < 100
        x = x + 0.25 * r
        r = b - transpose(A * transpose(x))
        steps += 1
    endwhile
endfunction

function [x : vec, steps : int] = settled_by_jump(A : mat, b : vec, limit : scalar)
    x = zeros(numel(b))
    steps = 0
    for k = 0..99
        next = x + 0.25 * (b - transpose(A * transpose(x)))
        change = max(abs(next - x))
        x = next
        steps = k
        if change < limit
            break
        endif
    endfor
endfunction

function [x : vec, steps : int] = settled_at_the_end(A : mat, b : vec, limit : scalar)
    x = b
    steps = 0
    repeat
        old = x
        x = x + 0.25 * (b - transpose(A * transpose(x)))
        steps += 1
    until max(abs(x - old)) <= limit
endfunction

% Leaves before the array has a value of its own.
function x : vec = left_early(a : vec, n : int)
    x = a
    for k = 0..n
        if k == n
            break
        endif
        x = 2 * x
    endfor
    x[0] = 9
endfunction

function x : vec = never(a : vec, limit : scalar)
    x = a
    while max(x) > limit
        x = x * 0.5
    endwhile
    x[0] = 5
endfunction

function y = squared(x : vec)
    y = x .* x
endfunction

function [x : vec, n : int] = with_calls(a : vec)
    x = a
    n = 0
    while sum(x) < 1000
        x = squared(x) + 1
        n += 1
    endwhile
endfunction

function x : vec = skipping(a : vec, n : int)
    x = a
    k = 0
    while k < n
        k += 1
        old = x
        if mod(k, 2) == 0
            continue
        endif
        x = zeros(numel(a))
        x[0] = old[1] + k
        x[1] = old[0]
    endwhile
endfunction

% The test of `repeat` calls, its value is new in every iteration.
reduction (x : int) -> twice(x) = twice(x) + x where x > 3
function y = twice(x)
    y = x
endfunction

function [x : vec, n : int] = at_least_once(a : vec, most : int)
    x = a
    n = 0
    repeat
        x = squared(x) + 1
        n += twice(4)
    until n > twice(most)
endfunction

function [] = main()
    A = [[2.0, 0.5],[0.5, 1.0]]
    [x, n] = settled(A, [1.0, -1.0], 0.0625)
    print round(x * 100), " ", n
    [x, n] = settled(A, [1.0, -1.0], 8.0)
    print round(x * 100), " ", n
    [x, n] = settled_by_jump(A, [1.0, -1.0], 0.03125)
    print round(x * 100), " ", n
    [x, n] = settled_at_the_end(A, [1.0, -1.0], 0.03125)
    print round(x * 100), " ", n
    a = [4.0, 2.0, 8.0]
    x = left_early(a, 2)
    print x, " ", a
    x = left_early(a, 0)
    print x, " ", a
    x = never(a, 3)
    print x, " ", a
    x = never(a, 100)
    print x, " ", a
    [x, n] = with_calls([1.0, 2.0])
    print x, " ", n
    print skipping([1.0, 2.0], 4)
    [x, n] = at_least_once([0.5, 0.25], 5)
    print round(16 * x), " ", n
endfunction
