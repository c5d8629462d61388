% single: numbers of either precision are shown with other digits
function [] = attempt(f)
    try
        f()
    catch e : qindexexception
        print "index: ", e.message
    catch e : quserexception
        print "user: ", e.message
    catch e : qassertexception
        print "assert: ", e.message
    catch e : qoverflowexception
        print "overflow: ", e.message
    catch e
        print "other: ", e.message
    endtry
endfunction
function [] = __kernel__ put(x : vec'checked, k : int, pos : int)
    x[k + pos] = 1
endfunction
function [] = __kernel__ get(x : vec'checked, y : vec, k : int, pos : int)
    y[pos] = x[k + pos]
endfunction
function [] = __kernel__ fail(y : vec, k : int, pos : int)
    if k > 1
        error "k is ", k
    endif
    assert(k < 1, "k is not small")
    y[pos] = 1
endfunction
function [] = __kernel__ small(y : vec[uint8], k : int, pos : int)
    y[pos] = uint8(k)
endfunction
function [] = __kernel__ limits(y : ivec, a : int, b : int, pos : int)
    y[0] = a + b
    y[1] = a * b
    y[2] = mod(a, b)
    y[4] = abs(a)
    y[5] = shl(a, b)
    y[6] = int(float(a) * 1e10)
    y[7] = min(a, b)
endfunction
function [] = __kernel__ swap(x : ivec'checked, k : int, y : ivec, pos : int)
    y[pos] = (x[k] <- 5)
endfunction
function [] = run_put(k : int)
    x = zeros(4)
    parallel_do(2, x, k, put)
    print x
endfunction
function [] = run_get(k : int)
    y = zeros(2)
    parallel_do(2, [1, 2, 3], y, k, get)
    print y
endfunction
function [] = run_fail(k : int)
    y = zeros(2)
    parallel_do(2, y, k, fail)
    print y
endfunction
function [] = run_small(k : int)
    y = vec[uint8](2)
    parallel_do(2, y, k, small)
    print y
endfunction
function [] = run_limits(a : int, b : int)
    y = vec[int](8)
    parallel_do(1, y, a, b, limits)
    print y
endfunction
function [] = run_swap(k : int)
    x = vec[int](2)
    y = vec[int](1)
    parallel_do(1, x, k, y, swap)
    print x, y
endfunction
attempt(() -> run_put(2))
attempt(() -> run_put(3))
attempt(() -> run_put(-1))
attempt(() -> run_get(1))
attempt(() -> run_get(2))
attempt(() -> run_fail(0))
attempt(() -> run_fail(1))
attempt(() -> run_fail(2))
attempt(() -> run_small(255))
attempt(() -> run_small(256))
attempt(() -> run_limits(2147483647, 1))
attempt(() -> run_limits(-2147483648, 7))
attempt(() -> run_limits(7, 33))
attempt(() -> run_swap(1))
attempt(() -> run_swap(2))
