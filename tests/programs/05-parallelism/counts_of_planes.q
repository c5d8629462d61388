% Counts whose outer loops alone need no atomics: of a known and an unknown number of planes, few and many, and sums of rows,
% which are no such counts.

function h : imat = three_planes(x : cube)
    h = zeros[int](3, 8)
    for c = 0..2
        for i = 0..size(x,1)-1
            for j = 0..size(x,2)-1
                h[c, int(x[c,i,j])] += 1
            endfor
        endfor
    endfor
endfunction

function h : imat = planes(x : cube)
    h = zeros[int](size(x,0), 8)
    for c = 0..size(x,0)-1
        for i = 0..size(x,1)-1
            for j = 0..size(x,2)-1
                v = int(x[c,i,j])
                h[c, v] += v
            endfor
        endfor
    endfor
endfunction

function [h : cube, last : int] = blocks(x : cube)
    h = zeros(size(x,0), 2, 8)
    c = -1
    for c = 0..size(x,0)-1
        for b = 0..1
            for j = 0..size(x,2)-1
                h[c, b, int(x[c,b,j])] += 0.5
            endfor
        endfor
    endfor
    last = c
endfunction

function s : mat = row_sums(x : cube)
    s = zeros(size(x,0), size(x,1))
    for c = 0..size(x,0)-1
        for i = 0..size(x,1)-1
            for j = 0..size(x,2)-1
                s[c,i] += x[c,i,j]
            endfor
        endfor
    endfor
endfunction

function x : cube = values(n : int, rows : int, columns : int)
    x = uninit(n, rows, columns)
    for c = 0..n-1
        for i = 0..rows-1
            for j = 0..columns-1
                x[c,i,j] = mod(c*5 + i*3 + j*j, 8)
            endfor
        endfor
    endfor
endfunction

function [] = main()
    x = values(3, 40, 50)
    print three_planes(x)
    print planes(x)
    many = planes(values(70, 6, 7))
    print many[0,:], many[69,:], sum(many)
    [h, last] = blocks(x)
    print h, last
    s = row_sums(x)
    print s[2,:], sum(s)
    print planes(values(1, 3, 0))
endfunction
