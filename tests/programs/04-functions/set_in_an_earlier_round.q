% Variables that only a loop sets, and reads in later rounds.
function y = alternate(n : int)
    for j = 1..n
        f = mod(j, 2) == 0 ? f : (x -> 10 * x)
    endfor
    y = f(7)
endfunction
function y = kept(n : int)
    for j = 1..n
        k = mod(j, 2) == 0 ? k : 10 * j
    endfor
    y = k
endfunction
% Lambdas and inner functions capture what an earlier round set.
function [] = captured(c : int, s : scalar)
    for k = 0..c
        if k > 3
            g = (x : scalar) -> x + u
            print g(1)
        endif
        u = s + k
    endfor
endfunction
function [] = captured_inside(c : int)
    for k = 0..c
        if k > 3 || c == 0
            function y = inner(x)
                y = v * x
            endfunction
            print inner(3)
        endif
        v = 10 * k
    endfor
endfunction
% Only a path that leaves the loop sets it.
function [] = changed(c : int, s : scalar)
    for k = 0..c
        if k > 3
            u = s
            break
        endif
    endfor
    if s > 1
        u += s
    endif
    print s, " ", u
endfunction
function [] = main()
    print alternate(3)
    print kept(4)
    captured(5, 2)
    captured_inside(5)
    changed(5, 2)
    for c = 0..1
        try
            captured_inside(0)
        catch e
            print e.message
        endtry
        try
            changed(2, c + 1)
        catch e
            print e.message
        endtry
    endfor
endfunction
