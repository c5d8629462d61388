% Lambdas that capture variables which no path, or only some rounds, have set.
function [] = main()
    n = int(str2num("1"))
    for k = 1..n
        if n > 5
            u = 3.0
            break
        endif
    endfor
    try
        g = (x : scalar) -> x + u
        print g(2)
    catch ex
        print ex.message
        u = 4.25
    endtry
    print u
    for k = 0..2
        if k > 3
            h = (x : int) -> x + w
            print h(1)
        endif
        w = k
        g2 = (x : int) -> x + w
        print g2(10)
    endfor
endfunction
