% A barrier over all threads, with fences of each scope; the last kernel waits in a function of the grid.
function [] = __kernel__ twice(x : vec, y : vec, pos : int)
    y[pos] = x[pos] + 1
    memfence(host)
    syncthreads(host)
    x[pos] = y[mod(pos + 1, 6)]
    syncthreads(host)
    memfence(block)
    memfence()
    y[pos] = x[mod(pos + 1, 6)]
endfunction
x = float(0..5)
y = zeros(6)
parallel_do([[6],[2]], x, y, twice)
print x, y

% All threads wait in each round.
function [] = __kernel__ rounds(x : vec, n : int, pos : int)
    for k = 1..n
        next = x[mod(pos + 1, 8)]
        syncthreads(host)
        x[pos] = next + k
        syncthreads(host)
    endfor
endfunction
x = float(0..7)
parallel_do([[8],[4]], x, 3, rounds)
print x
multi_parallel_do(8, x, 2, rounds)
print x
