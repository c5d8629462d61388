% Inner functions that captured something are captured themselves: by lambdas, by each other, in loops.
function [] = main()
    i1 = 3
    v = [1, 2, 3]
    function y : int = first(x : int)
        y = x + i1 + v[0]
    endfunction
    i1 = 50
    function y : int = second(x : int)
        y = first(x) * 10 + i1
    endfunction
    function y : int = third(x : int)
        y = second(first(x))
    endfunction
    i1 = 1000
    v[0] = 7
    print first(1), " ", second(1), " ", third(1)
    g = (z : int) -> (w : int) -> third(z) + first(w)
    h = g(2)
    print h(1)
    first = (x : int) -> 0
    print h(1), " ", second(1), " ", first(5)
    for k = 0..2
        function y : int = in_loop(x : int)
            y = x*k + second(k)
        endfunction
        f = (x : int) -> in_loop(x) - 1
        print f(2), " ", in_loop(1)
    endfor
    print in_loop(1)
endfunction
