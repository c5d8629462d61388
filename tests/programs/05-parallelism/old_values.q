% Iterations that read what only later ones write.
function x : vec = shifted(a : vec)
    x = copy(a)
    for i = 0..numel(x)-2
        x[i] += x[i+1]
    endfor
endfunction
function x : vec = downwards(a : vec)
    x = copy(a)
    for i = numel(x)-1..-1..2
        x[i] -= x[i-2]
    endfor
endfunction
function x : mat = four(a : mat)
    x = copy(a)
    for i = 0..size(x,0)-2
        for j = 0..size(x,1)-2
            x[i,j] = x[i,j] + x[i+1,j] + x[i,j+1] + x[i+1,j+1]
        endfor
    endfor
endfunction
% The row above is written before, the one below behind it.
function x : mat = both(a : mat)
    x = copy(a)
    for i = 1..size(x,0)-2
        for j = 0..size(x,1)-1
            x[i,j] = x[i-1,j] - x[i+1,j]
        endfor
    endfor
endfunction
% Behind in the row, but in a row that comes later.
function x : mat = later_row(a : mat)
    x = copy(a)
    for i = 0..size(x,0)-2
        for j = 1..size(x,1)-1
            x[i,j] += 2*x[i+1,j-1]
        endfor
    endfor
endfunction
function y : mat = triangle(a : mat, b : mat)
    m = size(b,0)
    y = copy(b)
    for i = 0..m-1
        for j = 0..size(b,1)-1
            for k = i+1..m-1
                y[i,j] += a[k,i]*y[k,j]
            endfor
            y[i,j] *= 2
        endfor
    endfor
endfunction
% Each iteration reads what it has written itself.
function y : mat = own(b : mat)
    y = copy(b)
    for i = 0..size(b,0)-1
        for j = 0..size(b,1)-1
            y[i,j] = 0
            for k = i..size(b,0)-1
                y[i,j] += y[k,j]
            endfor
        endfor
    endfor
endfunction
% Two arrays that exchange elements.
function [x : vec, y : vec] = two(a : vec, b : vec)
    x = copy(a)
    y = copy(b)
    for i = 0..numel(x)-4
        x[i] = y[i+1] + y[i+3]
        y[i] = x[i+2]
    endfor
endfunction
% Arrays that may be one.
function [] = into(x : vec, y : vec)
    for i = 0..numel(x)-2
        x[i] = y[i+1] + x[i+1]
    endfor
endfunction
% Few of many elements.
function x : vec = few(a : vec)
    x = copy(a)
    for i = 0..2
        x[i] = x[i+1]
    endfor
endfunction
function x : vec = outside(a : vec)
    x = copy(a)
    for i = 0..numel(x)-1
        x[i] = x[i+1]
    endfor
endfunction
function [] = main()
    for n = [3, 8, 70]
        a = mod(5*(0..n-1), 16) + 0.0
        w = 1..n
        m = reshape(mod(7*(0..2*n*n-1), 16) + 0.0, n, 2*n)
        u = reshape(1..2*n*n, n, 2*n)
        t = reshape(mod(3*(0..n*n-1), 4) - 1.0, n, n)
        print n, " ", sum(shifted(a) .* w), " ", sum(downwards(a) .* w), " ", sum(mod(four(m) + u, 13)), " ", sum(mod(both(m) + u, 13))
        print sum(mod(later_row(m) + u, 13)), " ", sum(mod(triangle(t, m) + u, 13)), " ", sum(mod(own(m) + u, 13))
        [x, y] = two(a, a + 1)
        print sum(x .* w), " ", sum(y .* w)
        p = copy(a)
        into(p, p)
        q = copy(a)
        into(q, a)
        print sum(p .* w), " ", sum(q .* w)
    endfor
    print few(0..9)
    try
        print outside(0..9)
    catch e
        print "outside"
    endtry
endfunction
