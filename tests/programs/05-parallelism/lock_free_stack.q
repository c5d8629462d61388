% A list to which all threads push and from which all pop, without locks: whoever finds the head changed tries again.
function [] = __kernel__ push(head : ivec, next : ivec, pos : int)
    top = head[0]
    done = 0
    while done == 0
        next[pos] = top
        found = (head[0] <- (pos + 1, top))
        done = int(found == top)
        top = found
    endwhile
endfunction
function [] = __kernel__ pop(head : ivec, next : ivec, popped : ivec, pos : int)
    top = head[0]
    done = int(top == 0)
    while done == 0
        found = (head[0] <- (next[top - 1], top))
        if found == top
            popped[pos] = top
            done = 1
        else
            top = found
            done = int(top == 0)
        endif
    endwhile
endfunction
function [] = main()
    n = 1000
    head = vec[int](1)
    next = vec[int](n)
    parallel_do(n, head, next, push)
    % Every thread is in the list once.
    seen = vec[int](n)
    k = head[0]
    while k > 0
        seen[k - 1] += 1
        k = next[k - 1]
    endwhile
    print min(seen), " ", max(seen)
    popped = vec[int](n + 10)
    parallel_do(n - 10, head, next, popped, pop)
    left = 0
    k = head[0]
    while k > 0
        popped[n - 10 + left] = k
        left += 1
        k = next[k - 1]
    endwhile
    times = vec[int](n)
    for k = 0..n-1
        times[popped[k] - 1] += 1
    endfor
    print left, " ", min(times), " ", max(times)
    % More pops than there are elements.
    parallel_do(20, head, next, popped, pop)
    print head[0]
endfunction
