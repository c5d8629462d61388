% Threads that follow links and only add: those of the last block beyond the launch add nothing.
function [] = __kernel__ add(next : ivec, n : ivec'unchecked, pos : int)
    p = mod(pos, 3)
    while p != -1
        n[p] += 1
        p = next[p]
    endwhile
endfunction
function [] = main()
    next = [1, 2, -1]
    n = zeros[int](3)
    parallel_do(10, next, n, add)
    print n
    m : ivec = zeros[int](3)
    for pos = 0..299
        p = mod(pos, 3)
        while p != -1
            m[p] += 1
            p = next[p]
        endwhile
    endfor
    print m
endfunction
