% A size of -1 is what the others leave, also where the compiler does not know the number.
function [] = f(x : vec, m : int, n : int)
    y = reshape(x, m, n)
    for i = m..2
        try
            y[i,0] = 5
        catch e
            print "outside ", i
        endtry
    endfor
    print y
endfunction
function [] = main()
    f(0..5, -1, 2)
    f(0..5, 2, -1)
endfunction
