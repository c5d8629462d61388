% error handling: nested try, errors in kernels, loops, functions, rethrown, index errors, state after errors
function y = risky(n)
    if n == 2
        error("two is bad: ", n)
    endif
    y = [1,2,3]
    y[n] = 5
endfunction
function [] = __kernel__ positive(x : vec, y : vec, pos : int)
    assert(x[pos] >= 0, "negative")
    y[pos] = sqrt(x[pos])
endfunction
function r = guarded(f, arg)
    try
        r = f(arg)
    catch e
        r = "failed: " + e.message
    endtry
endfunction
function [] = main()
    for k = 1..4
        print guarded(risky, k)
    endfor
    y = zeros(4)
    try
        parallel_do(4, [1,4,-1,9]*1.0, y, positive)
        print "no error"
    catch e
        print "kernel failed"
    endtry
    n = 0
    for k = 0..3
        try
            n += 1
            try
                if k == 1
                    error("inner")
                endif
                n += 10
            catch e
                n += 100
                error("again: ", e.message)
            endtry
        catch e
            print e.message, " ", n
        endtry
    endfor
    print n
    try
        a = [[1,2],[3,4]] * zeros(n, 3)
    catch e
        print "product"
    endtry
    try
        assert(n < 0, "n is ", n)
    catch e
        print e.message
    endtry
    try
        s = str2num("abc")
        print isnan(s)
    catch e
        print "no number"
    endtry
    x = zeros(3)
    try
        {!serial for}
        for k = 0..5
            x[k] = k
        endfor
    catch e
        print x
    endtry
    try
        x[1..7] = 3
    catch e
        print x
    endtry
    z = {1,2,3}
    try
        z[7] = 1
    catch e
        print numel(z)
    endtry
    try
        inv([[1,2],[2,4]])
        print "singular passes"
    catch e
        print "singular"
    endtry
endfunction
