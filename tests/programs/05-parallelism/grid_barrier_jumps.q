% All threads leave a loop with barriers over the grid together.
function [] = __kernel__ spread(x : vec, n : int, rounds : int, pos : int)
    k = 0
    while true
        k += 1
        left = x[mod(pos + n - 1, n)]
        syncthreads(grid)
        x[pos] += left
        syncthreads(grid)
        if k >= rounds
            break
        endif
    endwhile
    repeat
        x[pos] = x[pos] + 1
        syncthreads(grid)
        k = k - 1
        if k == 2
            continue
        endif
        x[pos] = x[pos] * 2
        syncthreads(grid)
    until k <= 0
endfunction
x = zeros(9)
x[0] = 1
parallel_do([[9], [4]], x, 9, 3, spread)
print x
