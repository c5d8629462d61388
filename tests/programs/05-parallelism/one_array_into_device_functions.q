% One array for two parameters of a kernel, which passes both to one device function.
function y : scalar = __device__ both(a : vec, b : vec, k : int)
    a[k] = a[k] + 1
    y = a[k] * 10 + b[k]
endfunction
function [] = __device__ step(a : vec, b : vec, k : int)
    a[k] += 1
    b[k] += 2
endfunction
function [] = __kernel__ one_reads(u : vec, v : vec, r : vec, pos : int)
    r[pos] = both(u, v, pos)
endfunction
function [] = __kernel__ both_write(u : vec, v : vec, pos : int)
    step(u, v, pos)
endfunction
function [] = __kernel__ in_order(u : vec, v : vec, pos : int)
    if pos > 0
        u[pos] = both(u, v, pos - 1)
    endif
endfunction
function [] = launched(u : vec, v : vec, r : vec)
    parallel_do(4, u, v, r, one_reads)
    parallel_do(4, u, v, both_write)
    serial_do(4, u, v, in_order)
endfunction
function [] = main()
    x = [1.0,2,3,4]
    r = zeros(4)
    launched(x, x, r)
    print x, r
    x = [1.0,2,3,4]
    y = copy(x)
    launched(x, y, r)
    print x, y, r
    launched(x, x, x)
    print x
endfunction
