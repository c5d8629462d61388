% accesses that fail in large launches, on every engine
function y = __device__ pick(x : vec'checked, k : int)
    y = x[k]
endfunction
function [] = __kernel__ plain(x : vec'checked, y : vec, n : int, pos : int)
    y[pos] = x[pos + n]
endfunction
function [] = __kernel__ through(x : vec'checked, y : vec, n : int, pos : int)
    y[pos] = pick(x, pos + n) + 1
endfunction
function [] = __kernel__ asserted(x : vec, y : vec, n : int, pos : int)
    assert(x[pos] < n)
    y[pos] = 1
endfunction
function [] = __kernel__ barrier(x : vec'checked, y : vec, n : int, pos : int, blkpos : int)
    s = shared(64)
    s[blkpos] = x[pos + n]
    syncthreads
    y[pos] = s[63 - blkpos]
endfunction
function [] = __kernel__ looped(x : mat'checked, y : vec, n : int, pos : int)
    s = 0.0
    for k = 0..n
        s += x[pos, k]
    endfor
    y[pos] = s
endfunction
function [] = try_it(name, k, dims, x, n)
    y = zeros(dims[0])
    try
        parallel_do(dims, x, y, n, k)
        print name, " ran ", sum(y)
    catch e
        print name, " failed"
    endtry
endfunction
function [] = main()
    n = 4096
    x = (0..n-1)*1.0
    for d = [0, 1, 5]
        try_it("plain", plain, [n], x, d)
        try_it("through", through, [n], x, d)
        try_it("asserted", asserted, [n], x, n - d)
    endfor
    y = zeros(n)
    for d = [0, 1]
        try
            parallel_do([[n],[64]], x, y, d, barrier)
            print "barrier ran ", y[0]
        catch e
            print "barrier failed"
        endtry
    endfor
    m = ones(512, 8)
    try_it("looped", looped, [512], m, 7)
    try_it("looped", looped, [512], m, 8)
    for d = [0, 1]
        try
            z = zeros(n)
            for k = 0..n-1
                z[k] = x[k + d] * 2
            endfor
            print "loop ran ", z[5]
        catch e
            print "loop failed"
        endtry
    endfor
    try
        z = zeros(n)
        {!parallel for}
        for k = 0..n-1
            z[k*2] = 1
        endfor
        print "not reached"
    catch e
        print "stores failed"
    endtry
    h = zeros[int](10)
    try
        for k = 0..n-1
            h[mod(k, 11)] += 1
        endfor
        print "not reached"
    catch e
        print "histogram failed"
    endtry
    try
        print sum(x[0..n]), "not reached"
    catch e
        print "slice failed"
    endtry
    try
        i = int(x) + 1
        print sum(x[i]), "not reached"
    catch e
        print "gather failed"
    endtry
endfunction
