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
function [] = main()
    print alternate(3)
    print kept(4)
endfunction
