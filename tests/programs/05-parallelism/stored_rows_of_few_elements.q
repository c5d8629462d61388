% Small arrays that loops store to slices of larger ones: each becomes stores of elements.

function [] = fills(y : mat)
    for i = 0..size(y,0)-1
        y[i,:] = i
    endfor
endfunction

function [] = branch(y : mat, x : mat)
    for i = 0..size(y,0)-1
        if x[i,0] > 2
            y[i,:] = [x[i,0], 0, 1]
        else
            y[i,0..2] = [1, x[i,0], 0]
        endif
    endfor
endfunction

function [] = adds(y : mat, x : mat)
    for i = 0..size(y,0)-1
        y[i,:] += [x[i,0], 1, 2]
        y[i,0..1] .*= [2, 3]
    endfor
endfunction

function [] = columns(y : mat)
    for j = 0..size(y,1)-1
        y[:,j] = [j, 2*j]
    endfor
endfunction

function [] = pairs(y : vec)
    for i = 0..2
        y[2*i..2*i+1] = [i, -i]
    endfor
endfunction

function [] = pixels(y : cube, x : cube)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            c = x[m,n,0..2]
            y[m,n,:] = 0.5*c + [1,0,0]
        endfor
    endfor
endfunction

function [c : vec3] = tinted(v : vec3, g : scalar)
    c = g * v
endfunction

function [] = calls(y : cube, x : cube(:,:,3))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n,:] = tinted(x[m,n,:], 2)
        endfor
    endfor
endfunction

% Rows that iterations share: their elements are added to, in any order.
function [] = scatter(y : mat, at : ivec, x : mat)
    for i = 0..numel(at)-1
        y[at[i],:] += [x[i,0], x[i,1], 1]
    endfor
endfunction

% What one iteration writes the next one reads: in order.
function [] = carried(y : mat)
    for i = 1..size(y,0)-1
        y[i,:] = [y[i-1,0]+1, y[i-1,1]*2, y[i-1,2]]
    endfor
endfunction

% A row is read as a whole before it is written.
function [] = turned(y : mat)
    for i = 0..size(y,0)-1
        y[i,:] = [y[i,2], y[i,0], y[i,1]]
    endfor
endfunction

% Both names are one array in the second call.
function [] = shifted(y : mat, x : mat)
    for i = 0..size(y,0)-2
        y[i+1,:] = [x[i,0], x[i,1]+1, x[i,2]]
    endfor
endfunction

function [] = tries(what : string, y : mat, x : mat)
    try
        if what == "branch"
            branch(y, x)
        elseif what == "adds"
            adds(y, x)
        elseif what == "turned"
            turned(y)
        else
            shifted(y, x)
        endif
    catch ex
        print(what, ": ", ex)
    endtry
    print(y)
endfunction

function [] = main()
    x = [[1,2,3],[4,5,6],[7,8,9]]
    y = zeros(3,3)
    fills(y)
    print(y)
    branch(y, x)
    print(y)
    adds(y, x)
    print(y)
    z = zeros(2,4)
    columns(z)
    print(z)
    v = zeros(6)
    pairs(v)
    print(v)
    c = ones(2,2,3)
    d = zeros(2,2,3)
    pixels(d, c)
    print(d)
    calls(d, c)
    print(d)
    y = zeros(2,3)
    scatter(y, [0,1,0], x)
    print(y)
    y = ones(3,3)
    carried(y)
    print(y)
    turned(y)
    print(y)
    shifted(y, x)
    print(y)
    shifted(y, y)
    print(y)
    for what = {"branch", "adds", "turned", "shifted"}
        tries(what, zeros(3,4), x)
        tries(what, zeros(0,4), x)
        tries(what, ones(3,2), x)
    endfor
endfunction
