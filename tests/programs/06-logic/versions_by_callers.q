% A call runs a version of the function that knows what decides a condition in it.
function y : scalar = __device__ shrink(x : scalar, t : scalar, n : int)
    assert(n >= 0, "negative")
    if n > 2
        y = x > t ? x - t : 0.0
    else
        y = x
    endif
endfunction
function [] = __kernel__ shrink_all(v : vec, t : scalar, n : int, pos : int)
    v[pos] = t > 0 ? shrink(v[pos], t, n) : -1.0
endfunction
function y = first(v : vec)
    y = numel(v) > 0 ? v[0] : -1.0
endfunction
function y = steps(n : int)
    y = n <= 0 ? 0 : 1 + steps(n - 1)
endfunction
function [y : int, z : int] = ordered(a : int, b : int)
    if a < b
        [y, z] = [a, b]
    else
        [y, z] = [b, a]
    endif
    a = 0
    if a < b
        y += 100
    endif
endfunction
function y = sign_of(x : scalar)
    y = x > 0 ? 1 : (x <= 0 ? 0 : -1)
endfunction
function [] = tell(n : int, t : scalar, v : vec)
    if n > 4 && t >= 1
        print shrink(4.0, t, n)
        parallel_do(numel(v), v, t, n, shrink_all)
        print v
    endif
    print shrink(4.0, t, abs(n))
    if numel(v) >= 3
        print first(v)
    endif
    % What an assertion in a version would refuse is found when the program runs.
    if n < 0
        try
            print shrink(4.0, t, n)
        catch e
            print e
        endtry
    endif
    if n > 2
        print steps(n)
        [a, b] = ordered(n, 2)
        print a, " ", b
        [a, b] = ordered(2, n)
        print a, " ", b
    endif
    if t > 0
        print sign_of(t)
    else
        print sign_of(t)
    endif
endfunction
function [] = main()
    tell(7, 1.5, [4.0,1.0,3.0])
    tell(-7, 0/0, [4.0])
    tell(3, -1.0, zeros(0))
    for i = 1..4
        print shrink(5.0, i, i)
    endfor
    n = int(numel([1,2]))
    while n < 5
        print steps(n)
        n += 1
    endwhile
endfunction
