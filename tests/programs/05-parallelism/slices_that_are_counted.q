% A slice whose elements are not read fails as others do where it leaves its array.
function y : vec = f(x : mat, r : int)
    N = size(x,1)
    y = zeros(size(x,0))
    for m = 0..size(x,0)-1
        w = x[m,r..N-1-r]
        y[m] = numel(w)
    endfor
endfunction
function y : vec = g(x : mat, r : int)
    N = size(x,1)
    y = zeros(size(x,0))
    for m = 0..size(x,0)-1
        y[m] = numel(x[m,r..N-1-r])
    endfor
endfunction
function y : vec = h(x : mat, r : int)
    N = size(x,1)
    y = zeros(size(x,0))
    for m = 0..size(x,0)-1
        w = x[m,r..N-1-r]
        y[m] = sum(w)/numel(w)
    endfor
endfunction
function [] = main()
    x = ones(70,8)
    for r = -1..1
        try
            print sum(f(x, r))
        catch e
            print "f fails ", r
        endtry
        try
            print sum(g(x, r))
        catch e
            print "g fails ", r
        endtry
        try
            print sum(h(x, r))
        catch e
            print "h fails ", r
        endtry
    endfor
endfunction
