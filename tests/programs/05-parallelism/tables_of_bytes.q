% Tables that bytes index: with an element for each byte, with more, and with fewer, where an index may be outside.

function y : mat = looked_up(x : mat[uint8], t : vec)
    y = zeros(size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = t[x[m,n]]
        endfor
    endfor
endfunction

% two tables, and an index that is no byte
function y : vec[int] = mixed(x : vec[uint8], t : vec[int], u : vec[int], k : vec[int])
    y = zeros[int](numel(x))
    for n = 0..numel(x)-1
        y[n] = t[x[n]] - u[int(x[n])] + t[k[n]]
    endfor
endfunction

function x : mat[uint8] = bytes(M : int, N : int, most : int)
    x = zeros[uint8](M, N)
    for m = 0..M-1
        for n = 0..N-1
            x[m,n] = uint8(mod(7*m + 13*n + m*n, most))
        endfor
    endfor
endfunction

function [] = main()
    x = bytes(90, 110, 256)
    for L = [256, 300]
        y = looked_up(x, 3*(0..L-1))
        print L, ": ", sum(y), " ", y[89,109], " ", y[0,0]
    endfor
    y = looked_up(bytes(90, 110, 100), 3*(0..99))
    print "fewer: ", sum(y), " ", y[89,109]
    try
        y = looked_up(x, 3*(0..254))
        print "not reached"
    catch e
        print "outside"
    endtry
    v = bytes(1, 900, 256)[0,:]
    t = int(2*(0..299))
    print "mixed: ", sum(mixed(v, t, int(0..255), int(mod(0..899, 300))))
    try
        z = mixed(v, t, int(0..255), int(mod(0..899, 301)))
        print "not reached"
    catch e
        print "outside"
    endtry
endfunction
