% Nests whose outer loops add to elements that inner loops have to themselves.

function y : vec = sums(x : mat)
    y = zeros(size(x,1))
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            y[j] += x[i,j]
        endfor
    endfor
endfunction

% The order kij.
function c : mat = product(a : mat, b : mat)
    c = zeros(size(a,0), size(b,1))
    for k = 0..size(a,1)-1
        for i = 0..size(a,0)-1
            for j = 0..size(b,1)-1
                c[i,j] += a[i,k]*b[k,j]
            endfor
        endfor
    endfor
endfunction

% The sum of the outer loops is in the middle one's elements.
function y : mat = planes(x : cube)
    y = zeros(size(x,0), size(x,2))
    for k = 0..size(x,1)-1
        for m = 0..size(x,0)-1
            for n = 0..size(x,2)-1
                if x[m,k,n] > 0
                    y[m,n] += x[m,k,n]
                else
                    y[m,n] -= 1
                endif
            endfor
        endfor
    endfor
endfunction

function y : vec = by_columns(a : mat, x : vec)
    y = zeros(size(a,0))
    for j = 0..size(a,1)-1
        for i = 0..size(a,0)-1
            y[i] += a[i,j]*x[j]
        endfor
    endfor
endfunction

% Elements that the nest reads as well: each iteration sees what those before have added.
function [] = running(y : vec, x : mat)
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            y[j] = 0.5*y[j] + x[i,j]
        endfor
    endfor
endfunction

% Elements of other columns: no order but that of the program.
function [] = crossed(y : vec, x : mat)
    for i = 0..size(x,0)-1
        for j = 1..size(x,1)-1
            y[j] += y[j-1] + x[i,j]
        endfor
    endfor
endfunction

% The variables of loops are used behind them.
function [i : int, j : int] = last(y : vec, x : mat)
    i = -1
    j = -1
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            y[j] += x[i,j]
        endfor
    endfor
endfunction

function [] = outside(y : vec, x : mat)
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            y[j] += x[i,j]
        endfor
    endfor
endfunction

% One array by two names, rows of which are added to another one.
function [] = rows(y : mat, x : mat)
    for i = 1..size(x,0)-1
        for j = 0..size(x,1)-1
            y[0,j] += x[i,j]
        endfor
    endfor
endfunction

% The bound of the inner loop is an element that the nest changes.
function [] = longer(y : vec[int])
    for i = 0..2
        for j = 0..y[0]
            y[j] += 1
        endfor
    endfor
endfunction

function [] = try_outside(y : vec, x : mat)
    try
        outside(y, x)
        print("no error")
    catch ex
        print("an error")
    endtry
endfunction

function [] = main()
    x = zeros(5,70)
    for i = 0..4
        for j = 0..69
            x[i,j] = mod(7*i + 3*j, 11) - 2
        endfor
    endfor
    print(sums(x[:,0..2]))
    print(sum(abs(sums(x) - sum(x,0))))
    print(sums(zeros(0,3)), sums(zeros(3,0)))
    print(product(x[:,0..4], x[:,5..9]))
    print(sum(abs(product(x[:,0..4], x) - x[:,0..4]*x)))
    z = reshape(x, [5,7,10])
    print(planes(z)[1..2,3..6])
    print(by_columns(x, x[1,:])[0..4])
    y = zeros(70)
    running(y, x)
    print(y[60..69])
    y = zeros(70)
    crossed(y, x)
    print(y[3..9])
    [i, j] = last(y, x)
    print(i, " ", j)
    [i, j] = last(y, zeros(3,0))
    print(i, " ", j)
    z = int(zeros(9))
    z[0] = 3
    longer(z)
    print(z)
    rows(x, x)
    print(x[0,0..9])
    try_outside(zeros(70), x)
    try_outside(zeros(69), x)
    try_outside(zeros(2), x[:,0..2])
endfunction
