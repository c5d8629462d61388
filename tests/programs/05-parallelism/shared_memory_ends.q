% The shared arrays of a block have 48 KB together, also where the program decides how large they are.
function [] = __kernel__ two(y : vec, m : int, n : int, pos : int, blkpos : int)
    a = shared[int](m)
    b = shared[int](n)
    a[blkpos] = pos
    b[blkpos] = 10*pos
    syncthreads
    y[pos] = a[1-blkpos] + b[1-blkpos]
endfunction
function [] = __kernel__ mixed(y : vec, n : int, pos : int, blkpos : int)
    a = shared[int](8000)
    b = shared[int](n)
    a[blkpos] = pos
    b[blkpos] = 10*pos
    syncthreads
    y[pos] = a[1-blkpos] + b[1-blkpos]
endfunction
function [] = __kernel__ bounded(y : vec, m : int, n : int, pos : int, blkpos : int)
    assert(m*n <= 512)
    s = shared_zeros(m, n)
    syncthreads
    s[0,blkpos] = pos
    syncthreads
    y[pos] = s[0,1-blkpos]
endfunction
function [] = attempt(m : int, n : int)
    y = zeros(4)
    try
        parallel_do([[4],[2]], y, m, n, two)
        print m, " and ", n, ": ", y
    catch
        print m, " and ", n, ": out"
    endtry
endfunction
function [] = main()
    attempt(2, 3)
    attempt(6000, 6000)
    attempt(6000, 6500)
    attempt(10000, 10000)
    attempt(13000, 2)
    attempt(2, 13000)
    y = zeros(4)
    parallel_do([[4],[2]], y, 4000, mixed)
    print y
    try
        parallel_do([[4],[2]], y, 12000, mixed)
        print y
    catch
        print "out"
    endtry
    % Each block and each launch has the memory anew.
    parallel_do([[4],[2]], y, 6000, 6000, two)
    print y
    parallel_do([[4],[2]], y, 2, 256, bounded)
    print y
    try
        parallel_do([[4],[2]], y, 3, 256, bounded)
    catch e
        print e.message
    endtry
endfunction
