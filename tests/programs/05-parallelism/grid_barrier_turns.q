% More blocks than a GPU holds at once: blocks of threads take turns between the barriers, or the processor runs the launch.
function [] = __kernel__ turn(x : vec, y : vec, n : int, pos : int)
    for k = 1..3
        y[pos] = x[n - 1 - pos] + k
        syncthreads(grid)
        x[pos] = y[mod(pos + 7, n)]
        syncthreads(grid)
    endfor
endfunction
function [] = __kernel__ mirror(x : vec, n : int, pos : int)
    mine = x[pos]
    syncthreads(grid)
    x[n - 1 - pos] = mine
endfunction
n = 9000
x = float(0..n-1)
parallel_do([[n], [2]], x, zeros(n), n, turn)
[expected, y] = [float(0..n-1), zeros(n)]
for k = 1..3
    for i = 0..n-1
        y[i] = expected[n - 1 - i] + k
    endfor
    for i = 0..n-1
        expected[i] = y[mod(i + 7, n)]
    endfor
endfor
print max(abs(x - expected)), " ", x[0..3]
parallel_do([[n], [2]], x, n, mirror)
print max(abs(x[n-1..-1..0] - expected)), " ", x[0..3]
