% Kernels whose positions go along rows: on devices the threads of a block share the loops of a position, and wait for each other
% where one reads what another has written.

function x : mat = numbers(m : int, n : int)
    x = zeros(m, n)
    for i = 0..m-1
        for k = 0..n-1
            x[i,k] = mod(i*7 + k*k*3, 31) - 11
        endfor
    endfor
endfunction

% Written, read by all, written again.
function y : mat = shifted(x : mat)
    y = zeros(size(x))
    for i = 0..size(x,0)-1
        for k = 0..size(x,1)-1
            y[i,k] = x[i,k] * 2
        endfor
        for k = 0..size(x,1)-2
            y[i,k] = x[i,k+1] + 1
        endfor
        first = y[i,0]
        y[i,0] = y[i,size(x,1)-1]
        y[i,size(x,1)-1] = first
    endfor
endfunction

% Each stage reads what other threads have written in the one before.
function y : mat = sums_of_neighbours(x : mat)
    y = copy(x)
    z = zeros(size(x))
    n = size(x,1)
    for i = 0..size(x,0)-1
        for stage = 0..4
            for k = 1..n-2
                z[i,k] = y[i,k-1] + y[i,k] + y[i,k+1]
            endfor
            m = 0
            for k = 1..n-2
                y[i,k] = mod(z[i,k], 17)
                m = max(m, y[i,k])
            endfor
            y[i,0] = m
            if m > 15
                y[i,n-1] = y[i,1]
            endif
        endfor
    endfor
endfunction

% Until it is small: the loop around ends for all threads at once.
function c : vec = halvings(x : mat)
    c = zeros(size(x,0))
    y = copy(x)
    for i = 0..size(x,0)-1
        s = 10000.0
        while s > 100
            s = 0.0
            for k = 0..size(x,1)-1
                y[i,k] = y[i,k] / 2
                s += abs(y[i,k])
            endfor
            c[i] += 1
        endwhile
    endfor
endfunction

% Planes: two loops count as one. The second nest has a row of constant length inside.
function y : cube = planes(x : cube)
    y = zeros(size(x))
    for c = 0..size(x,0)-1
        m = 0.0
        q = -1000
        for i = 0..size(x,1)-1
            for j = 0..size(x,2)-1
                m += x[c,i,j]
                q = max(q, x[c,i,j])
            endfor
        endfor
        for i = size(x,1)-1..-1..0
            for j = 1..2..size(x,2)-1
                y[c,i,j] = x[c,i,j] * q + m
            endfor
        endfor
    endfor
endfunction

% An empty inner loop, and one whose length depends on the outer one.
function y : mat = triangles(x : mat, empty : int)
    y = zeros(size(x))
    for p = 0..size(x,0)-1
        s = 0
        for i = 0..size(x,1)-1
            for j = 0..empty-1
                s += 1
            endfor
        endfor
        for i = 0..size(x,1)-1
            t = 0.0
            for j = 0..i
                t += x[p,j]
            endfor
            y[p,i] = t + s
        endfor
    endfor
endfunction

% Counted in elements of the position's own, which threads have in common.
function h : mat = tallies(x : mat)
    h = zeros(size(x,0), 31)
    for i = 0..size(x,0)-1
        for k = 0..size(x,1)-1
            h[i, int(x[i,k]) + 11] += 1
        endfor
        h[i,0] = sum(h[i,:])
    endfor
endfunction

% Integers, minima and products, and small arrays of a position.
function [lowest : vec[int], both : mat] = mixed(x : mat)
    lowest = vec[int](size(x,0))
    both = zeros(size(x,0), 3)
    for i = 0..size(x,0)-1
        l = 1000
        p = 1.0
        w = [0.0, 0.0, 0.0]
        for k = 0..size(x,1)-1
            l = min(l, int(x[i,k]))
            p *= 1 + x[i,k] / 1000
        endfor
        for c = 0..2
            w[c] = x[i,c] + l
        endfor
        for k = 0..size(x,1)-1
            if x[i,k] > w[1]
                l += 1
            endif
        endfor
        lowest[i] = l
        both[i,0] = round(p * 1000)
        both[i,1] = w[1]
        both[i,2] = w[2]
    endfor
endfunction

% Along columns: few positions.
function x : mat = columns(x : mat)
    for j = 0..size(x,1)-1
        s = 0.0
        for i = 0..size(x,0)-1
            s += x[i,j]
        endfor
        for i = 0..size(x,0)-1
            x[i,j] = x[i,j] * size(x,0) - s
        endfor
    endfor
endfunction

function [] = show(x : mat)
    w = 0.0
    for i = 0..size(x,0)-1
        for k = 0..size(x,1)-1
            w += x[i,k] * mod(k, 7)
        endfor
    endfor
    print(size(x), " ", w, " ", x[0,0..min(4,size(x,1)-1)], " ", x[size(x,0)-1,size(x,1)-1])
endfunction

function [] = main()
    for m = [1, 3, 5]
        for n = [3, 64, 100, 300]
            x = numbers(m, n)
            show(shifted(x))
            show(sums_of_neighbours(x))
            print(halvings(x))
            show(triangles(x, 0))
            show(triangles(x, 2))
            show(tallies(x))
            [lowest, both] = mixed(x)
            print(lowest, " ", both)
            show(columns(copy(x)))
        endfor
    endfor
    x = zeros(3, 9, 13)
    for c = 0..2
        x[c,:,:] = numbers(9, 13) + c
    endfor
    y = planes(x)
    print(sum(y), " ", y[0,0,:], " ", y[2,8,:])
endfunction
