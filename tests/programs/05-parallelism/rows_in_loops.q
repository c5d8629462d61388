% Loops whose statements compute rows of unknown size: kernels for short rows, the functions of the library for long ones.
function y : mat = numbers(rows : int, columns : int)
    y = zeros(rows, columns)
    for i = 0..rows-1
        for j = 0..columns-1
            y[i,j] = mod(i*7 + j*13 + i*j, 17)
        endfor
    endfor
endfunction
function y : mat = centered(x : mat)
    y = copy(x)
    for i = 0..size(x,0)-1
        y[i,:] = y[i,:] * size(x,1) - sum(y[i,:])
    endfor
endfunction
function y : mat = by_columns(x : mat)
    y = zeros(size(x))
    for j = 0..size(x,1)-1
        c = x[:,j]
        low = min(c)
        d = c - low
        y[:,j] = d * (max(c) - low) + sum(d)
    endfor
endfunction
function y : mat = distances(a : mat, b : mat)
    y = zeros(size(a,0), size(b,0))
    for i = 0..size(a,0)-1
        for j = 0..size(b,0)-1
            t = a[i,:] - b[j,:]
            y[i,j] = sum(t .* t)
        endfor
    endfor
endfunction
function y : mat = running(x : mat)
    y = copy(x)
    for i = 1..size(x,0)-1
        y[i,:] = mod(y[i-1,:] + x[i,:], 101)
    endfor
endfunction
function y : mat = turned(x : mat)
    y = copy(x)
    n = size(x,1)
    for i = 0..size(x,0)-1
        y[i,:] = y[i,n-1..-1..0]
    endfor
endfunction
function y : mat = shifted(x : mat)
    y = copy(x)
    n = size(x,1)
    for i = 0..size(x,0)-1
        y[i,1..n-1] = y[i,0..n-2]
    endfor
endfunction
function y : mat = old_and_new(x : mat)
    y = copy(x)
    for i = 0..size(x,0)-1
        t = y[i,:]
        y[i,:] = y[i,:] * 2
        y[i,:] = y[i,:] + t
    endfor
endfunction
function y : mat = by_branches(x : mat)
    y = zeros(size(x))
    for i = 0..size(x,0)-1
        r = x[i,:]
        if sum(r) > 8 * numel(r)
            y[i,:] = r - 1
        else
            y[i,:] = r * 2
        endif
    endfor
endfunction
function y : mat = every_third(x : mat)
    n = size(x,1)
    y = zeros(size(x,0), int((n + 2) / 3))
    for i = 0..size(x,0)-1
        y[i,:] = x[i,0..3..n-1] + x[i,0]
    endfor
endfunction
function y : vec = triangle(x : mat)
    n = size(x,1)
    y = zeros(size(x,0))
    for i = 0..min(size(x,0), n)-1
        y[i] = sum(x[i,i..n-1]) + max(x[i,0..i])
    endfor
endfunction
function y : mat = last_row(x : mat)
    y = zeros(size(x))
    r = x[0,:]
    for i = 0..size(x,0)-1
        r = x[i,:] .* x[i,:]
        y[i,:] = r
    endfor
    y[0,:] = r
endfunction
function y : mat = windows(x : mat, w : int)
    y = zeros(size(x,0) - 2*w, size(x,1) - 2*w)
    for i = 0..size(y,0)-1
        for j = 0..size(y,1)-1
            y[i,j] = sum(x[i..i+2*w, j..j+2*w]) - max(x[i..i+2*w, j])
        endfor
    endfor
endfunction
function [s : scalar, t : vec] = totals(x : mat)
    s = 0
    t = zeros(size(x,1))
    for i = 0..size(x,0)-1
        s += sum(x[i,:])
        t = t + x[i,:]
    endfor
endfunction
function y : mat = wider(x : mat)
    y = zeros(size(x,0), size(x,1) + 1)
    for i = 0..size(x,0)-1
        y[i,:] = x[i,:] * 2
    endfor
endfunction
function y : mat = outside(x : mat)
    y = zeros(size(x))
    for i = 0..size(x,0)-1
        y[i,:] = x[i+1,:]
    endfor
endfunction
function [] = show(name : string, y : mat)
    weights = mod(0..numel(y)-1, 5)
    print name, " ", size(y), " ", sum(y), " ", sum(reshape(y, numel(y)) .* weights)
endfunction
function [] = all_of(x : mat)
    show("centered", centered(x))
    show("by_columns", by_columns(x))
    show("distances", distances(x, x[0..min(2, size(x,0)-1),:]))
    show("running", running(x))
    show("turned", turned(x))
    show("shifted", shifted(x))
    show("old_and_new", old_and_new(x))
    show("by_branches", by_branches(x))
    show("every_third", every_third(x))
    print "triangle ", sum(triangle(x))
    show("last_row", last_row(x))
    [s, t] = totals(x)
    print "totals ", s, " ", sum(t)
endfunction
function [] = main()
    all_of(numbers(70, 5))
    all_of(numbers(3, 600))
    all_of(numbers(1, 1))
    show("windows", windows(numbers(20, 90), 2))
    print size(centered(zeros(0, 5))), size(by_branches(zeros(5, 0)))
    try
        show("wider", wider(numbers(4, 4)))
    catch message
        print "wider: ", message
    endtry
    try
        show("outside", outside(numbers(4, 4)))
    catch message
        print "outside: an index is outside"
    endtry
endfunction
