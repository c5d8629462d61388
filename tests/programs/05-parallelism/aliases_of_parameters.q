% Two parameters may be one array: a loop over them is parallel where they are two, and in order where they are one.
function [] = chain(a : vec, b : vec)
    for k = 1..numel(a) - 1
        a[k] = b[k - 1] + 1
    endfor
endfunction
function [] = backwards(a : vec, b : vec)
    for k = numel(a) - 2..-1..0
        a[k] = b[k + 1] + 1
    endfor
endfunction
function [] = both_written(a : vec, b : vec)
    for k = 0..numel(a) - 1
        a[k] = k
        b[numel(b) - 1 - k] = 10 * k
    endfor
endfunction
function [] = stencil(a : vec, b : vec)
    for k = 1..numel(a) - 2
        a[k] = b[k - 1] + b[k] + b[k + 1]
    endfor
endfunction
function [] = read_back(a : vec, b : vec, c : vec)
    for k = 0..numel(a) - 1
        a[k] = k + 1
        c[k] = 10 * b[k]
    endfor
endfunction
function [] = own_elements(a : vec, b : vec)
    for k = 0..numel(a) - 1
        a[k] = 2 * b[k] + 1
    endfor
endfunction
function [] = three(a : vec, b : vec, c : vec)
    for k = 1..numel(a) - 1
        a[k] = b[k - 1] + c[k - 1]
    endfor
endfunction
function [] = histogram(count : vec, x : vec)
    for k = 0..numel(x) - 1
        count[int(x[k])] += 1
    endfor
endfunction
function [] = while_loop(a : vec, b : vec)
    k = 1
    while k < numel(a)
        a[k] = b[k - 1] + 1
        k += 1
    endwhile
endfunction
function [] = summed(a : vec, b : vec)
    s = 0.0
    for k = 1..numel(a) - 1
        s += b[k - 1]
        a[k] = s
    endfor
    print s
endfunction
function [] = integers(a : ivec, b : ivec)
    for k = 1..numel(a) - 1
        a[k] = b[k - 1] + 1
    endfor
endfunction
function [] = passed_on(a : vec, b : vec)
    chain(b, a)
endfunction
function [] = swapped_calls(a : vec, b : vec)
    chain(a, b)
    chain(b, a)
endfunction
function [] = main()
    x = zeros(6)
    y = ones(6)
    chain(x, y)
    print x
    chain(x, x)
    print x
    backwards(x, y)
    print x
    backwards(x, x)
    print x
    both_written(x, y)
    print x, y
    both_written(x, x)
    print x
    stencil(y, x)
    print y
    stencil(x, x)
    print x
    read_back(x, y, y)
    print y
    read_back(x, x, y)
    print y
    read_back(x, x, x)
    print x
    own_elements(x, y)
    print x
    own_elements(x, x)
    print x
    three(x, y, x)
    print x
    three(x, x, x)
    print x
    three(x, y, y)
    print x
    n = [0.0, 1, 2, 0, 1, 2]
    count = zeros(6)
    histogram(count, n)
    print count
    histogram(n, n)
    print n
    x = zeros(6)
    while_loop(x, x)
    print x
    while_loop(x, y)
    print x
    summed(x, x)
    print x
    i = [1, 2, 3, 4]
    integers(i, i)
    print i
    x = ones(5)
    passed_on(x, x)
    print x
    swapped_calls(x, x)
    print x
endfunction
