% Fences order writes: each block leaves its sum and then counts itself; whoever counts last finds the sums of all others.
function [] = __kernel__ add_up(x : vec, partial : vec, count : ivec, total : vec, pos : int, blkpos : int, blkidx : int, blkdim : int, blkcnt : int)
    s = shared_zeros(64)
    syncthreads
    s[blkpos] = x[pos]
    syncthreads
    if blkpos == 0
        sum = 0.0
        for k = 0..blkdim-1
            sum += s[k]
        endfor
        partial[blkidx] = sum
        memfence(grid)
        ticket = (count[0] += 1)
        memfence(grid)
        if ticket == blkcnt
            all = 0.0
            for k = 0..blkcnt-1
                all += partial[k]
            endfor
            total[0] = all
        endif
    endif
endfunction

% Without blocks: every thread leaves a number, and the last one reads those of all others.
function [] = __kernel__ last_thread(left : vec, count : ivec, found : vec, n : int, pos : int)
    left[pos] = pos + 1
    memfence()
    ticket = (count[0] += 1)
    memfence()
    if ticket == n
        all = 0.0
        for k = 0..n-1
            all += left[k]
        endfor
        found[0] = all
    endif
endfunction

function [] = main()
    for round = 1..3
        total = zeros(1)
        count = zeros[int](1)
        parallel_do([[640],[64]], mod(0..639, 10), zeros(10), count, total, add_up)
        print total[0], " ", count[0]
        found = zeros(1)
        count[0] = 0
        parallel_do(1000, zeros(1000), count, found, 1000, last_thread)
        print found[0], " ", count[0]
    endfor
endfunction
