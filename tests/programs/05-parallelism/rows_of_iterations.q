% Rows that live longer than their iteration, or are used in some of its ways only.
function y : mat = differences(x : mat)
    y = zeros(size(x))
    before = x[0,:]
    for i = 0..size(x,0)-1
        y[i,:] = x[i,:] - before
        before = x[i,:]
    endfor
endfunction
function y : mat = chosen_before(x : mat)
    y = zeros(size(x))
    r = x[0,:]
    for i = 0..size(x,0)-1
        if x[i,0] > 2
            r = x[i,:]
        endif
        y[i,:] = r * 2
    endfor
endfunction
function y : mat = below(x : mat, asked : int)
    y = zeros(size(x))
    for i = 0..size(x,0)-1
        r = x[i+1,:]
        if asked > 0
            y[i,:] = r
        endif
    endfor
endfunction
function y : mat = swapped(x : mat)
    y = copy(x)
    for i = 0..size(x,0)-1
        a = y[i,:]
        b = a * 2
        y[i,:] = b
        y[i,0] = a[1]
    endfor
endfunction
function [] = main()
    x = [[1.0,2,3],[2,4,6],[7,8,9],[1,5,2]]
    print differences(x)
    print chosen_before(x)
    print swapped(x)
    try
        print below(x, 0)
    catch message
        print "outside"
    endtry
endfunction
