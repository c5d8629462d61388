% What may fail, or takes memory, happens where it is written: inside of its try, in its branch, in its turn.
function y = huge(n : int)
    y = zeros(n, n)
endfunction
function y : scalar = says(text : string, value : scalar)
    print(text)
    y = value
endfunction
function [] = before_it_is_read(n : int)
    try
        z = zeros(10000000, 10000000)
        print("too much")
    catch e : qmemoryexception
        print("no memory")
    endtry
    for i = 0..1
        try
            z = zeros(n, n)
            print("too much")
        catch e : qmemoryexception
            print("none in round ", i)
        endtry
    endfor
endfunction
function [] = in_branches(c : int)
    if c
        x = zeros(10000000, 10000000)
    endif
    if c
        print(x[0,0])
    endif
    while c
        y = zeros(10000000, 10000000)
        c = y[0,0] > 0
    endwhile
    for k = 1..c
        w = zeros(10000000, 10000000)
        if w[k,k] > 0
            print(w[0,0])
        endif
    endfor
    if c
        print(y[0,0], w[0,0])
    endif
    match c with
    | 1 -> m = zeros(10000000, 10000000)
    | 0 -> m = zeros(1, 1)
    endmatch
    print(m)
endfunction
function [] = in_expressions(c : int, n : int, u : vec, v : vec)
    a = c ? numel(zeros(n, n)) : 7
    print(a, " ", c && numel(zeros(n, n)) > 0, " ", !c || numel(huge(n)) > 0)
    b = c ? sum(zeros(n, n) + 1) : 3
    print(b)
    x = c ? sum(u .* v) : 5
    print(x, " ", c && sum(u .* v) > 0)
endfunction
function [] = nested(n : int)
    try
        try
            x = huge(n)
        catch e : qindexexception
            print("wrong")
        endtry
        print("not here")
    catch e : qmemoryexception
        print("outer")
        try
            y = zeros(n, n) + 1
            print("not here")
        catch f : qmemoryexception
            print("inner")
        endtry
    endtry
endfunction
function [] = first_of_two(a : vec, b : vec, n : int)
    try
        print(a[n] + sum(a .* b))
    catch e : qindexexception
        print("index first")
    catch e : qsizeexception
        print("wrong: size first")
    endtry
    try
        print(sum(a .* b) + a[n])
    catch e : qindexexception
        print("wrong: index first")
    catch e : qsizeexception
        print("size first")
    endtry
    try
        print(numel(zeros(n, n)) + a[n])
    catch e : qmemoryexception
        print("memory first")
    catch e : qindexexception
        print("wrong: index first")
    endtry
    try
        print(a[n] + numel(zeros(n, n)))
    catch e : qindexexception
        print("index first")
    catch e : qmemoryexception
        print("wrong: memory first")
    endtry
    try
        a[int(sum(a .* b))] = a[n]
    catch e : qindexexception
        print("right side first")
    catch e : qsizeexception
        print("wrong: target first")
    endtry
    try
        a[int(a[n])] = sum(a .* b)
    catch e : qsizeexception
        print("right side first")
    catch e : qindexexception
        print("wrong: target first")
    endtry
    try
        print((a .* b)[0] + b[n] * says("wrong: said", 2))
    catch e : qsizeexception
        print("nothing said")
    endtry
    try
        print(a[n] + says("wrong: said", 2))
    catch e : qindexexception
        print("nothing said")
    endtry
    try
        print(says("said", 2) + a[n])
    catch e : qindexexception
        print("behind what was said")
    endtry
endfunction
function [] = partly_done(a : vec, n : int)
    c = zeros(n - 2)
    try
        for k = 0..2
            c[k] = k + 1
            assert(k < 1, "stopped at ", k)
            c[k] = 10*a[k + n]
        endfor
    catch e : qindexexception
        print("stopped by an index")
    catch e : qassertexception
        print("stopped by an assertion")
    endtry
    print(c)
    try
        c[0] = 7
        c[1] = sum(c .* zeros(n))
        c[2] = 9
    catch e : qsizeexception
        print(c)
    endtry
    try
        assert(c[0] < 100, "sum ", sum(c .* zeros(n)))
        print("held")
        assert(c[1] > 100, "sum ", sum(c .* zeros(n)))
    catch e : qsizeexception
        print("the message failed")
    endtry
endfunction
function y : scalar = one_of(f : int, a : vec, b : vec)
    y = f > 0 ? sum(a + b) : a[0]
endfunction
function [] = main()
    before_it_is_read(10000000)
    in_branches(0)
    in_expressions(0, 10000000, [1.0,2.0], [1.0,2.0,3.0])
    nested(10000000)
    first_of_two([1.0,2.0], [1.0,2.0,3.0], 10000000)
    partly_done([1.0,2.0], 5)
    print(one_of(0, [1.0,2.0], [1.0,2.0,3.0]))
    try
        print(one_of(1, [1.0,2.0], [1.0,2.0,3.0]))
    catch e : qsizeexception
        print("in a call")
    endtry
endfunction
