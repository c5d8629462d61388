% Windows as slices whose sizes are known before a loop, and some that are not inside

function y : mat = products(x : mat, w : mat)
    [P,Q] = size(w)
    y = zeros(size(x,0)-P+1, size(x,1)-Q+1)
    for i = 0..size(y,0)-1
        for j = 0..size(y,1)-1
            y[i,j] = sum(x[i..i+P-1,j..j+Q-1] .* w)
        endfor
    endfor
endfunction

function y : vec = distances(x : vec, t : vec)
    n = numel(t)
    y = zeros(numel(x)-n+1)
    for i = 0..numel(y)-1
        d = x[i..i+n-1] - t
        y[i] = sum(d .* d)
    endfor
endfunction

% windows around a place
function y : vec = around(x : vec, r : int)
    y = zeros(numel(x))
    for i = r..numel(x)-1-r
        y[i] = max(x[i-r..i+r]) + mean(x[i-r..i+r])
    endfor
endfunction

% pairs at a distance
function y : vec = correlated(x : vec, count : int)
    n = numel(x)
    y = zeros(count)
    for k = 0..count-1
        y[k] = sum(x[0..n-1-k] .* x[k..n-1])
    endfor
endfunction

% of another size than the weights, or beyond the end
function [] = beyond(y : vec, x : vec, w : vec, n : int)
    for i = 0..numel(y)-1
        y[i] = sum(x[i..i+n-1] .* w)
    endfor
endfunction

function [] = between(y : vec, x : vec, from : int, to : int)
    for i = 0..numel(y)-1
        y[i] = sum(x[from+i..to+i])
    endfor
endfunction

function [] = main()
    x = zeros(70,66)
    for i = 0..69
        for j = 0..65
            x[i,j] = mod(3*i + 5*j, 7)
        endfor
    endfor
    y = products(x, [[1,2],[3,4],[5,6]])
    print size(y), " ", y[0,0..3], " ", y[67,61..64], " ", sum(y)
    print sum(products(x, ones(70,66)))
    print numel(products(x, ones(71,66)))
    v = x[1,0..65]
    print distances(v, [1,2,3])[0..5], distances(v, v)
    for r = 0..3
        print r, " ", round(8*sum(around(v, r)))
    endfor
    print sum(around(v, 40)), " ", correlated(v, 5)
    y = zeros(65)
    beyond(y, v, [1,2], 2)
    print y[0..3]
    try
        beyond(y, v, [1,2], 3)
    catch error
        print "failed"
    endtry
    y = zeros(66)
    try
        beyond(y, v, [1,2,3], 3)
    catch error
        print "failed"
    endtry
    y = zeros(60)
    between(y, v, 3, 6)
    print y[0..3]
    between(y, v, 6, 3)
    print y[0..3]
    try
        between(y, v, -1, 6)
    catch error
        print "failed"
    endtry
    try
        between(y, v, 1, 7)
    catch error
        print "failed"
    endtry
endfunction
