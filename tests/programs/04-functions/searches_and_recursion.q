% loops with break, continue, labels, while, repeat, nested functions, recursion with closures
function r = primes(n)
    sieve = ones[int](n+1)
    sieve[0..1] = 0
    i = 2
    while i*i <= n
        if sieve[i]
            for k = i*i..i..n
                sieve[k] = 0
            endfor
        endif
        i += 1
    endwhile
    r = find(sieve)[:,1]
endfunction
function y = collatz(n)
    y = 0
    repeat
        n = mod(n,2) == 0 ? int(n/2) : 3*n+1
        y += 1
    until n == 1
endfunction
function [i, j] = search(A, v)
    i = -1
    j = -1
    outer:
    for a = 0..size(A,0)-1
        for b = 0..size(A,1)-1
            if A[a,b] == v
                i = a
                j = b
                break outer
            endif
        endfor
    endfor
endfunction
function y = hanoi(n)
    count = [0]
    function [] = move(k, a, b, c)
        if k > 0
            move(k-1, a, c, b)
            count[0] += 1
            move(k-1, c, b, a)
        endif
    endfunction
    move(n, "A", "B", "C")
    y = count[0]
endfunction
function g : int = gcd(a : int, b : int)
    g = b == 0 ? a : gcd(b, mod(a, b))
endfunction
function [] = permute(a, k, out)
    if k == numel(a)
        out[0] += 1
    else
        for i = k..numel(a)-1
            [a[k], a[i]] = [a[i], a[k]]
            permute(a, k+1, out)
            [a[k], a[i]] = [a[i], a[k]]
        endfor
    endif
endfunction
function n : int = queens(row : int, cols : ivec, N : int)
    n = 0
    if row == N
        n = 1
    else
        for c = 0..N-1
            ok = true
            for r = 0..row-1
                if cols[r] == c || abs(cols[r] - c) == row - r
                    ok = false
                    break
                endif
            endfor
            if ok
                cols[row] = c
                n += queens(row + 1, cols, N)
            endif
        endfor
    endif
endfunction
function y : int = ack(m : int, n : int)
    y = m == 0 ? n + 1 : (n == 0 ? ack(m-1, 1) : ack(m-1, ack(m, n-1)))
endfunction
function [] = main()
    print transpose(primes(30))
    print collatz(27)
    [i, j] = search([[1,2],[3,4]], 3)
    print i, j
    print hanoi(6), " ", gcd(48, 18), " ", ack(2, 3)
    out = [0]
    permute([1,2,3,4], 0, out)
    print out
    print queens(0, zeros[int](6), 6)
    s = 0
    for i = 10..-3..0
        if i == 4
            continue
        endif
        s += i
    endfor
    print s, i
    for x = [0.5, 1.5]
        print x
    endfor
    for c = {"a", 2}
        print c
    endfor
endfunction
