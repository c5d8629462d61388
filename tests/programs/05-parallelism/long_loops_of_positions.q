% Loops that threads of devices share, where launches have few positions for so many iterations.

function y : vec = row_sums(x : mat)
    y = zeros(size(x,0))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m] += x[m,n]
        endfor
    endfor
endfunction

function y : vec = column_sums(x : mat)
    y = uninit(size(x,1))
    for n = 0..size(x,1)-1
        s = 0.0
        for m = 0..size(x,0)-1
            s += x[m,n]
        endfor
        y[n] = s
    endfor
endfunction

% several sums, and elements that are changed behind the loop
function [] = pulls(p : mat(:,2), v : mat(:,2), n : int)
    for i = 0..size(p,0)-1
        a = 0.0
        b = 0.0
        for j = 0..n-1
            a += p[j,0] - p[i,0]
            b = max(b, p[j,1] - p[i,1])
        endfor
        v[i,0] += a
        v[i,1] += b
    endfor
endfunction

% a number of iterations that depends on the position, and one with a step
function [y : vec, z : vec] = parts(x : mat)
    y = uninit(size(x,0))
    z = uninit(size(x,0))
    for m = 0..size(x,0)-1
        s = 0.0
        for n = m..size(x,1)-1
            s += x[m,n]
        endfor
        y[m] = s
    endfor
    for m = 0..size(x,0)-1
        s = 0.0
        for n = size(x,1)-1..-2..0
            s += x[m,n]
        endfor
        z[m] = s
    endfor
endfunction

% into the elements of the result, in the order of the rows of b
function c : mat = product(a : mat, b : mat)
    c = zeros(size(a,0), size(b,1))
    for i = 0..size(a,0)-1
        for k = 0..size(a,1)-1
            for j = 0..size(b,1)-1
                c[i,j] += a[i,k]*b[k,j]
            endfor
        endfor
    endfor
endfunction

% into elements of an array that is given, which may be too short
function [] = add_rows(x : mat, y : vec)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m] += x[m,n]
        endfor
    endfor
endfunction

function x : mat = numbers(rows : int, columns : int)
    x = zeros(rows, columns)
    for m = 0..rows-1
        for n = 0..columns-1
            x[m,n] = mod(7*m + 3*n, 5)
        endfor
    endfor
endfunction

function [] = show(name : string, x : vec)
    n = numel(x)
    if n == 0
        print name, ": nothing"
    else
        print name, ": ", sum(x), " ", x[0], " ", x[int(n/2)], " ", x[n-1]
    endif
endfunction

sizes = [[0,3],[1,1],[2,3],[17,2],[3,700],[100,300],[300,600]]
for k = 0..6
    [rows, columns] = [int(sizes[k,0]), int(sizes[k,1])]
    print rows, "x", columns
    x = numbers(rows, columns)
    show("rows", row_sums(x))
    show("columns", column_sums(x))
    p = numbers(rows, 2)
    v = ones(rows, 2)
    pulls(p, v, rows)
    show("a", v[:,0])
    show("b", v[:,1])
    [y, z] = parts(x)
    show("triangle", y)
    show("every second", z)
    c = product(x, numbers(columns, 4))
    print sum(c)
endfor

x = numbers(100, 300)
x[3,7] = nan
print row_sums(x)[2..4]
y = ones(100)
add_rows(numbers(100, 300), y)
show("added", y)
y = ones(100)
add_rows(zeros(100, 0), y)
show("none added", y)
try
    add_rows(numbers(5, 300), ones(4))
    print "no error"
catch e
    print "an error"
endtry
